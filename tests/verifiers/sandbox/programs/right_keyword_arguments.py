TARGET = {'fn_name': 'join', 'cases': [{'args': [['x', 'y']], 'kwargs': {'sep': '+'}, 'expected': 'x+y'}, {'args': [['x']], 'kwargs': {'last': '!'}, 'expected': 'x!'}]}
# --- the program ---
def join(a, *, sep="-", last=None):
    return sep.join(a) + (last or "")
