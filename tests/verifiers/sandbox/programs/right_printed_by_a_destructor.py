TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
class Last:
    def __init__(self, value):
        self.value = value

    def __del__(self):
        print(self.value)

last = Last(sum(map(int, input().split())))
