TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
OPTIONS = {'processes': 8, 'timeout_s': 10}
# --- the program ---
import os
a, b = map(int, input().split())
r, w = os.pipe()
if os.fork() == 0:
    os.write(w, str(a + b).encode())
    os._exit(0)
os.wait()
print(os.read(r, 100).decode())
