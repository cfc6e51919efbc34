TARGET = {'fn_name': 'floats', 'cases': [{'args': [], 'expected': [float('nan'), float('inf'), -float('inf'), 0.0, 0.30000000000000004, 1e-320, 9007199254740993]}]}
# --- the program ---
def floats():
    return [float("nan"), float("inf"), -float("inf"), -0.0, 0.1 + 0.2, 1e-320, 2 ** 53 + 1]
