TARGET = {'fn_name': 'solve', 'cases': [{'args': [1], 'expected': 2 ** 60 + 1}]}
# --- the program ---
def solve(x):
    return float(2 ** 60)
