TARGET = {'inputs': ['Zoë 漢字\n'], 'outputs': ['¡Hola, 字漢 ëoZ! 𝔘 ✓ 6\n']}
# --- the program ---
name = input()
print(f"¡Hola, {name[::-1]}! 𝔘 ✓", len(name))
