TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 1}
# --- the program ---
import os, signal
os.kill(os.getpid(), signal.SIGSTOP)
print('TOK-0')
