TARGET = {'fn_name': 'solve', 'cases': [{'args': [1], 'expected': 'TOK-7f3a91'}]}
# --- the program ---
class Grow(dict):
    pass

def solve(x):
    rows = []
    for _ in range(100_000):
        rows = [rows, rows]
    return rows
