TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import traceback, warnings
warnings.warn("old")
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
print(sum(map(int, input().split())))
