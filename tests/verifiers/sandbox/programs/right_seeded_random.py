TARGET = {'inputs': ['7'], 'outputs': [(lambda r: f'{r.randint(1, 10**9)} {sorted(r.sample(range(100), 3))}')(__import__('random').Random(7))]}
# --- the program ---
import random
random.seed(int(input()))
print(random.randint(1, 10**9), sorted(random.sample(range(100), 3)))
