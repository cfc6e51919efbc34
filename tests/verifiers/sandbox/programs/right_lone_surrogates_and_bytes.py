TARGET = {'fn_name': 'texts', 'cases': [{'args': [], 'expected': ['\ud800', b'\xff\x00', b'a', '\x00']}]}
# --- the program ---
def texts():
    return ["\ud800", b"\xff\x00", bytearray(b"a"), "\x00"]
