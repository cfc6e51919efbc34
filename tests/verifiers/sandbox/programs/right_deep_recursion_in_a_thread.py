TARGET = {'inputs': ['90000'], 'outputs': ['90000']}
# --- the program ---
import sys, threading
sys.setrecursionlimit(1 << 25)
threading.stack_size(1 << 27)

def deep(n):
    return 0 if n == 0 else 1 + deep(n - 1)

def main():
    print(deep(int(input())))

thread = threading.Thread(target=main)
thread.start()
thread.join()
