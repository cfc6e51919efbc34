TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import io, sys
sys.stdin = io.StringIO(sys.stdin.read())
input = sys.stdin.readline
print(sum(map(int, input().split())))
