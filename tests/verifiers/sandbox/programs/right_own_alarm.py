TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import signal

class Late(Exception):
    pass

def late(*_):
    raise Late

signal.signal(signal.SIGALRM, late)
signal.setitimer(signal.ITIMER_REAL, 0.1)
try:
    while True:
        pass
except Late:
    signal.setitimer(signal.ITIMER_REAL, 0)
    print(sum(map(int, input().split())))
