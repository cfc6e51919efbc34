TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import ctypes
libc = ctypes.CDLL(None)
print(libc.abs(-sum(map(int, input().split()))))
