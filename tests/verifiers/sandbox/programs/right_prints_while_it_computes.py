TARGET = {'fn_name': 'add', 'cases': [{'args': [1, 2], 'expected': 3}]}
# --- the program ---
import sys

def add(a, b):
    print("debug", a, b)
    sys.stdout.write("no newline")
    print("to stderr", file=sys.stderr)
    return a + b

if __name__ == "__main__":
    raise SystemExit("run as a script")
