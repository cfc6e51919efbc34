TARGET = {'asserts': ['s = Stack()\ns.push(1).push(2)\nassert s.size == 2', 'assert len(s) == 2', 'assert s[0] == 1', 'assert repr(s) == "Stack([1, 2])" and str(s) == f"{s}"', 'assert s.pop() == 2 and s.items == [1]', 'try:\n    Stack().pop()\n    assert False\nexcept IndexError:\n    pass']}
# --- the program ---
class Stack:
    def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)
        return self

    def pop(self):
        return self.items.pop()

    @property
    def size(self):
        return len(self.items)

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __repr__(self):
        return f"Stack({self.items})"
