TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import atexit
a, b = map(int, input().split())
atexit.register(print, a + b)
