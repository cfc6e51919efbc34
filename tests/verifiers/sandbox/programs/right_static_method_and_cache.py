TARGET = {'fn_name': 'twice', 'cases': [{'args': [4], 'expected': 8}]}
# --- the program ---
from functools import lru_cache

class Base:
    @staticmethod
    @lru_cache(None)
    def twice(x):
        return 2 * x

class Solution(Base):
    pass
