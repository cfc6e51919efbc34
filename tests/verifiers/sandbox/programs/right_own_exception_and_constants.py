TARGET = {'asserts': ['assert LIMIT == 10', 'try:\n    take(11)\n    assert False, "no"\nexcept Exception as error:\n    assert "11" in str(error)']}
# --- the program ---
LIMIT = 10

class TooMuch(ValueError):
    pass

def take(n):
    if n > LIMIT:
        raise TooMuch(n)
    return n
