TARGET = {'inputs': [{'gen': 'repeat', 's': 'x' * 99 + '\n', 'n': 1_000_000}], 'outputs': ['100000000']}
OPTIONS = {'timeout_s': 8}
# --- the program ---
import sys
print(sum(map(len, sys.stdin)))
