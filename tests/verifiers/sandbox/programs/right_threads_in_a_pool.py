TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
from concurrent.futures import ThreadPoolExecutor
a, b = map(int, input().split())
with ThreadPoolExecutor(32) as pool:
    print(sum(pool.map(int, [a, b])))
