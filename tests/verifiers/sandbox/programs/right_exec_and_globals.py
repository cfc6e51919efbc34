TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
exec("def add(a, b):\n    return a + b")
print(eval("add(*map(int, input().split()))", globals()))
