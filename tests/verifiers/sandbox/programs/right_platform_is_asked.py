TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import getpass, locale, os, platform, sys, time
platform.platform(), platform.python_version(), os.cpu_count(), os.getpid(), time.tzname, os.uname()
locale.getpreferredencoding()
print(sum(map(int, input().split())))
