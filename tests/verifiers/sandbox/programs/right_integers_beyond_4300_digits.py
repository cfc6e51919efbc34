TARGET = {'fn_name': 'power', 'cases': [{'args': [20000], 'expected': {'value': [3 ** 20000, -(3 ** 20000)]}}, {'args': [10 ** 5], 'expected': {'value': [3 ** 10 ** 5, -(3 ** 10 ** 5)]}}]}
# --- the program ---
def power(n):
    return {"value": [3 ** n, -(3 ** n)]}
