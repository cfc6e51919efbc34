TARGET = {'inputs': ['1\n2\n', '10\n20'], 'outputs': ['3\n', '30\n']}
# --- the program ---
total = 0
try:
    while True:
        total += sum(map(int, input().split()))
except EOFError:
    print(total)
