TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import io, sys
sys.stdout = io.StringIO()
print("noise")
kept, sys.stdout = sys.stdout, sys.__stdout__
print(sum(map(int, input().split())))
