TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import sys
try:
    print(sum(map(int, input().split())))
    sys.exit()
finally:
    sys.stderr.write("done\n")
