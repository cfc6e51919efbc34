TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
# --- the program ---
import os, sys, time
for path in ("@CANARY@", sys.prefix, "/tmp", "/dev/shm", os.path.dirname("@CANARY@")):
    for change in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (1, 1)), lambda: os.truncate(path, 0),
                   lambda: os.setxattr(path, "user.x", b"1"), lambda: os.rename(path, path + "x"), lambda: os.unlink(path),
                   lambda: os.chown(path, os.getuid(), os.getgid())):
        try:
            change()
            if path != "/tmp":
                print("TOK-7f3a91")
        except OSError:
            pass
