TARGET = {'fn_name': 'counts', 'cases': [{'args': ['aab'], 'expected': [{'a': 2, 'b': 1}, {'a': 1}, {'n': [1]}, [1, 2]]}]}
# --- the program ---
from collections import Counter, OrderedDict, defaultdict, namedtuple
from enum import IntEnum

class Colour(IntEnum):
    RED = 1

Pair = namedtuple("Pair", "a b")

def counts(text):
    rows = defaultdict(list)
    rows["n"].append(Colour.RED)
    return [Counter(text), OrderedDict(a=1), rows, Pair(1, 2)]
