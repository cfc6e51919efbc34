TARGET = {'fn_name': 'solve', 'cases': [{'args': [1], 'expected': 1}]}
# --- the program ---
def solve(x):
    return True
