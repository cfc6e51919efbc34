TARGET = {'inputs': ['1 2\n', '10 20\n'], 'outputs': ['3\n', '30\n']}
# --- the program ---
import asyncio

async def add(a, b):
    await asyncio.sleep(0.01)
    return await asyncio.to_thread(lambda: a + b)

async def main():
    a, b = map(int, input().split())
    print(sum(await asyncio.gather(add(a, 0), add(0, b))))

asyncio.run(main())
