TARGET = {'asserts': ['import asyncio\nassert asyncio.run(fetch(1)) == 2']}
# --- the program ---
import asyncio

async def fetch(x):
    await asyncio.sleep(0)
    return x + 1
