TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 1}
# --- the program ---
import os
r, w = os.pipe()
while True:
    os.write(w, b"x" * 65536)
