TARGET = {'fn_name': 'apply', 'cases': [{'args': [4], 'expected': 5}]}
# --- the program ---
from functools import partial

class Adder:
    def __call__(self, a, b):
        return a + b

apply = partial(Adder(), 1)
