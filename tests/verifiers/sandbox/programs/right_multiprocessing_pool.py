TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
OPTIONS = {'processes': 8, 'timeout_s': 10}
# --- the program ---
from multiprocessing import Pool

def double(x):
    return 2 * x

if __name__ == "__main__":
    a, b = map(int, input().split())
    with Pool(4) as pool:
        print(sum(pool.map(double, [a, b])) // 2)
