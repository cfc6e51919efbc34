TARGET = {'fn_name': 'area', 'cases': [{'args': [3], 'expected': {'w': 3, 'h': 2}}]}
# --- the program ---
from __future__ import annotations
from dataclasses import dataclass, asdict

@dataclass
class Box:
    w: int
    h: int = 2

def area(w):
    return asdict(Box(w))
