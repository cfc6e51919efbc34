TARGET = {'fn_name': 'last', 'cases': [{'args': [10 ** 6000 + 7], 'expected': 7}]}
# --- the program ---
def last(n):
    return n % 1000
