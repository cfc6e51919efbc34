TARGET = {'asserts': ['assert solve(1) == 2']}
OPTIONS = {'timeout_s': 3}
# --- the program ---
class Bad(Exception):
    def __str__(self):
        return "x" * (1 << 29)

def solve(x):
    raise Bad
