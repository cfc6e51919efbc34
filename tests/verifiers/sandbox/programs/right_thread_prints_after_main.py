TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import threading, time
a, b = map(int, input().split())
threading.Thread(target=lambda: (time.sleep(0.1), print(a + b))).start()
