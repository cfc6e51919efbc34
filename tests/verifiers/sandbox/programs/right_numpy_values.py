TARGET = {'fn_name': 'stats', 'cases': [{'args': [[[1, 2], [3, 4]]], 'expected': [10, 2.5, [[1, 3], [2, 4]], True, 0.5, [[7, 10], [15, 22]]]}]}
OPTIONS = {'modules': ('numpy',)}
# --- the program ---
import numpy as np

def stats(rows):
    a = np.array(rows)
    return [a.sum(), a.mean(), a.T, a.max() > 3, np.float32(0.5), (a @ a).tolist()]
