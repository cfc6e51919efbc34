TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import mmap
with mmap.mmap(-1, 1 << 20) as memory:
    memory.write(input().encode())
    memory.seek(0)
    print(sum(map(int, memory.read(64).strip(b"\0").split())))
