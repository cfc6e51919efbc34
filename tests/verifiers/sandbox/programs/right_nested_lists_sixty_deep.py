TARGET = {'fn_name': 'nest', 'cases': [{'args': [60], 'expected': __import__('functools').reduce(lambda x, _: [x], range(60), [])}]}
# --- the program ---
def nest(n):
    out = []
    for _ in range(n):
        out = [out]
    return out
