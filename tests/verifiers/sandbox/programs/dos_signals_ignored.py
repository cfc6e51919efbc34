TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
OPTIONS = {'timeout_s': 1}
# --- the program ---
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
