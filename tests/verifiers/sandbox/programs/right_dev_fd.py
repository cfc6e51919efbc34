TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import os
a, b = map(int, os.fdopen(os.open("/dev/fd/0", os.O_RDONLY)).read().split())
os.write(1, f"{a + b}\n".encode())
