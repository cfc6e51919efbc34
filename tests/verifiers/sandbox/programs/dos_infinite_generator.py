TARGET = {'asserts': ['assert sum(solve()) == 3']}
OPTIONS = {'timeout_s': 1}
# --- the program ---
def solve():
    while True:
        yield 1
