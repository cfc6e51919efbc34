TARGET = {'fn_name': 'fib', 'cases': [{'args': [30], 'expected': 832040}, {'args': [10], 'expected': 55}]}
# --- the program ---
class Solution:
    def __init__(self):
        self.memo = {0: 0, 1: 1}

    def fib(self, n):
        if n not in self.memo:
            self.memo[n] = self.fib(n - 1) + self.fib(n - 2)
        return self.memo[n]
