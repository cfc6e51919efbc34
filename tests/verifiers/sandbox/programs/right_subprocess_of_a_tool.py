TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
OPTIONS = {'processes': 8, 'timeout_s': 10}
# --- the program ---
import subprocess
a, b = input().split()
print(subprocess.run(["expr", a, "+", b], capture_output=True, text=True, check=True).stdout.strip())
