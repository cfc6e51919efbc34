TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 5, 'processes': 8, 'memory_mb': 512}
# --- the program ---
import os, time
for _ in range(6):
    if os.fork() == 0:
        hold = bytearray(b"x") * (300 << 20)
        time.sleep(100)
time.sleep(3)
print("TOK-7f3a91")
