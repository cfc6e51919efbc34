TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
# --- the program ---
import os
roads = ["/etc/passwd", "/usr/../etc/passwd", *(f"/proc/{whose}/root/etc/passwd" for whose in ("self", 1))]
os.symlink("/etc/passwd", "link")
roads.append("link")
folder = os.open("/usr", os.O_RDONLY)
for road in roads:
    try:
        os.open(road, os.O_RDONLY)
        print("TOK-7f3a91")
    except OSError:
        pass
for name in ("../etc/passwd", "../root", "../home"):
    try:
        os.listdir(os.open(name, os.O_RDONLY, dir_fd=folder))
        print("TOK-7f3a91")
    except OSError:
        pass
try:
    os.link("/etc/passwd", "hard")
    open("hard").read()
    print("TOK-7f3a91")
except OSError:
    pass
