TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import pickle

class Pair:
    def __init__(self, a, b):
        self.a, self.b = a, b

pair = pickle.loads(pickle.dumps(Pair(*map(int, input().split()))))
print(pair.a + pair.b)
