TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import fileinput
for line in fileinput.input():
    print(sum(map(int, line.split())))
