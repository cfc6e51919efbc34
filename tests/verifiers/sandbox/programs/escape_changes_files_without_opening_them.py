TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
# --- the program ---
import os, sys, time
for path in ("@CANARY@", sys.prefix, "/dev/shm", os.path.dirname("@CANARY@")):
    for change in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (1, 1)), lambda: os.truncate(path, 0),
                   lambda: os.setxattr(path, "user.x", b"1"), lambda: os.rename(path, path + "x"),
                   lambda: os.unlink(path), lambda: os.chown(path, os.getuid(), os.getgid())):
        try:
            before = os.stat(path)
            change()
            after = os.stat(path)
            if (before.st_mode, before.st_mtime, before.st_size) != (after.st_mode, after.st_mtime, after.st_size):
                print("TOK-7f3a91")
        except FileNotFoundError:
            if os.path.exists(path + "x"):
                print("TOK-7f3a91")
        except OSError:
            pass
