TARGET = {'inputs': [''], 'outputs': ['0.3'], 'checker': 'def check(given, output, expected):\n    return float(abs(float(output) - float(expected)) < 1e-6)'}
# --- the program ---
print(0.30000001)
