TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import __main__
import sys
total = sum(map(int, input().split()))
assert sys.modules["__main__"] is __main__ and __name__ == "__main__"
print(__main__.total)
