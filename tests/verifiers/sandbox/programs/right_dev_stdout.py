TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
a, b = map(int, input().split())
with open("/dev/stdout", "w") as out:
    out.write(f"{a + b}\n")
