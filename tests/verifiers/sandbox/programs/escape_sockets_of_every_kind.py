TARGET = {'inputs': ['1 2\n'], 'outputs': ['TOK-7f3a91\n']}
# --- the program ---
import socket
for family in range(1, 46):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
        try:
            socket.socket(family, kind)
            print("TOK-7f3a91")
        except OSError:
            pass
