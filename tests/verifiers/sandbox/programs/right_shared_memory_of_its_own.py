TARGET = {'inputs': ['21'], 'outputs': ['42']}
OPTIONS = {'processes': 8, 'timeout_s': 10}
STARTS_PYTHON = True
# --- the program ---
from multiprocessing import Process, shared_memory

def double(name):
    memory = shared_memory.SharedMemory(name)
    memory.buf[0] *= 2
    memory.close()

if __name__ == "__main__":
    memory = shared_memory.SharedMemory(create=True, size=16)
    memory.buf[0] = int(input())
    process = Process(target=double, args=(memory.name,))
    process.start()
    process.join()
    print(memory.buf[0])
    memory.close()
    memory.unlink()
