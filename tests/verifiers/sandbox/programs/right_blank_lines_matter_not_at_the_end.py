TARGET = {'inputs': [''], 'outputs': ['a\n\nb']}
# --- the program ---
print("a")
print()
print("b", end="   \n\n\n")
