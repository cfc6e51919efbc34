TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 2}
# --- the program ---
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
