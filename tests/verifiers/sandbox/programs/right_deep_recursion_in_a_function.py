TARGET = {'fn_name': 'depth', 'cases': [{'args': [50_000], 'expected': 50_000}]}
# --- the program ---
import sys
sys.setrecursionlimit(200_000)

def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
