TARGET = {'fn_name': 'add', 'cases': [{'args': [1, 2], 'expected': 3}]}
# --- the program ---
class Solution:
    async def add(self, a, b):
        return a + b
