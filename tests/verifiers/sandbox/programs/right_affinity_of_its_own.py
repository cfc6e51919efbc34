TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import os, resource
os.sched_setaffinity(0, os.sched_getaffinity(0))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
resource.getrlimit(resource.RLIMIT_STACK), resource.prlimit(os.getpid(), resource.RLIMIT_AS)
print(sum(map(int, input().split())))
