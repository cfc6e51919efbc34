TARGET = {'asserts': ['def f(g):\n    return solve(g)\nassert solve(f) == 1']}
OPTIONS = {'timeout_s': 2}
# --- the program ---
def solve(f):
    return f(f)
