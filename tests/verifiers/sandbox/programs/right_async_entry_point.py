TARGET = {'fn_name': 'add', 'cases': [{'args': [1, 2], 'expected': 3}, {'args': [5, 5], 'expected': 10}]}
# --- the program ---
import asyncio

async def add(a, b):
    await asyncio.sleep(0.01)
    return a + b
