TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
OPTIONS = {'processes': 8, 'timeout_s': 10}
# --- the program ---
import multiprocessing as mp
from concurrent.futures import ProcessPoolExecutor

def work(queue, x):
    queue.put(x)

if __name__ == "__main__":
    a, b = map(int, input().split())
    queue = mp.Queue()
    for x in (a, b):
        mp.Process(target=work, args=(queue, x)).start()
    with ProcessPoolExecutor(2) as pool:
        print(sum(pool.map(abs, [queue.get(), queue.get()])))
