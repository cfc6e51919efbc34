TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 2}
# --- the program ---
import sys
sys.setrecursionlimit(1 << 30)
class A:
    def __repr__(self):
        return repr(self)
str([A()])
