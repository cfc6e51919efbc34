TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 2, 'processes': 4}
# --- the program ---
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
