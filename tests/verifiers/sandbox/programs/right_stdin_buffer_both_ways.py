TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import sys
data = sys.stdin.buffer.read().split()
sys.stdout.buffer.write(b"%d\n" % (int(data[0]) + int(data[1])))
