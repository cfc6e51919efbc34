TARGET = {'fn_name': 'table', 'cases': [{'args': [], 'expected_repr': "{1: 'a', (1, 2): 'b'}"}]}
# --- the program ---
def table():
    return {1: "a", (1, 2): "b"}
