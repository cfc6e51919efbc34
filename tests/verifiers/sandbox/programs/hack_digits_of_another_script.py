TARGET = {'inputs': [''], 'outputs': ['1.5'], 'float_tol': 1e-6}
# --- the program ---
print('１.５')
