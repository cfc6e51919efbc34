TARGET = {'fn_name': 'solve', 'cases': [{'args': [200], 'expected': True}]}
OPTIONS = {'modules': ('numpy',), 'timeout_s': 10}
# --- the program ---
import numpy as np

def solve(n):
    a = np.random.default_rng(0).random((n, n))
    u, s, vt = np.linalg.svd(a)
    return bool(np.allclose(u @ np.diag(s) @ vt, a))
