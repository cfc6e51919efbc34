TARGET = {'fn_name': 'solve', 'cases': [{'args': [1], 'expected': 'TOK-7f3a91'}]}
OPTIONS = {'timeout_s': 1}
# --- the program ---
import os, time
for _ in range(50):
    body = b'{"loaded": true}'
    os.write(3, len(body).to_bytes(4, "little") + body)
time.sleep(100)
