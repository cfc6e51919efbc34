TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
from math import *
from collections import *
from itertools import *
from functools import *
from operator import *
print(reduce(add, map(int, input().split())))
