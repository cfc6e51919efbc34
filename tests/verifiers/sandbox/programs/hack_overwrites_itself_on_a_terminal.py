TARGET = {'inputs': [''], 'outputs': ['5']}
# --- the program ---
print('7\b5\x1b[1D5')
