TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import threading, time
threading.Thread(target=lambda: time.sleep(100), daemon=True).start()
print(sum(map(int, input().split())))
