TARGET = {'inputs': ['20000'], 'outputs': [str(__import__('sys').set_int_max_str_digits(0) or 7 ** 20000)]}
# --- the program ---
import sys
sys.set_int_max_str_digits(0)
print(7 ** int(input()))
