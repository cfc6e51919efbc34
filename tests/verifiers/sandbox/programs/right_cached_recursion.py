TARGET = {'inputs': ['15000'], 'outputs': ['15000']}
# --- the program ---
import sys
from functools import lru_cache
sys.setrecursionlimit(10**6)

@lru_cache(None)
def count(n):
    return 0 if n == 0 else 1 + count(n - 1)

print(count(int(input())))
