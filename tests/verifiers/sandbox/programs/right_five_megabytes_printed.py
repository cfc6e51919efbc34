TARGET = {'inputs': ['700000'], 'outputs': ['\n'.join(map(str, range(700000)))]}
# --- the program ---
n = int(input())
print(*range(n), sep="\n")
