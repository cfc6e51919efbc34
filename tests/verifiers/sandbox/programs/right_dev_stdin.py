TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
a, b = map(int, open("/dev/stdin").read().split())
print(a + b)
