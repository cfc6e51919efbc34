TARGET = {'asserts': ['assert list(apply(lambda x: x * 2, [1, 2])) == [2, 4]', 'assert compose(str, abs)(-3) == "3"', 'assert next(iter(apply(len, ["abc"]))) == 3']}
# --- the program ---
def apply(f, xs):
    for x in xs:
        yield f(x)

def compose(f, g):
    return lambda x: f(g(x))
