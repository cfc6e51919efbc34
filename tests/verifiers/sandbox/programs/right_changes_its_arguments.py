TARGET = {'asserts': ['m = [[1, 2], [3, 4]]\nassert rotate(m) is None and m == [[3, 1], [4, 2]]', 'r, s = [[1]], set()\nmark(r, s)\nassert r == [[9]] and s == {9}']}
# --- the program ---
def rotate(matrix):
    matrix[:] = [list(row) for row in zip(*matrix[::-1])]

def mark(rows, seen):
    rows[0][0] = 9
    seen.add(9)
