TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import contextlib, os, sys
sys.stderr = open(os.devnull, "w")
with open(os.devnull, "w") as null, contextlib.redirect_stdout(null):
    print("debug")
print(sum(map(int, input().split())))
