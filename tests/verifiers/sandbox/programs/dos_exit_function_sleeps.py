TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 1}
# --- the program ---
import atexit, time
atexit.register(time.sleep, 1000)
print('TOK')
