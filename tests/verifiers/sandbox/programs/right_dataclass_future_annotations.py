TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
from __future__ import annotations
from dataclasses import dataclass

@dataclass(order=True)
class Pair:
    a: int
    b: int

    def total(self) -> int:
        return self.a + self.b

print(Pair(*map(int, input().split())).total())
