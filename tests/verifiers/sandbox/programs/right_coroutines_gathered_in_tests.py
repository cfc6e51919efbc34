TARGET = {'asserts': ['import asyncio\nasync def main():\n    assert await double(1) == 2\n    assert await asyncio.gather(double(2), asyncio.create_task(double(3))) == [4, 6]\n    assert await asyncio.wait_for(double(4), 5) == 8\n    try:\n        await double(-1)\n    except ValueError:\n        return True\nassert asyncio.run(main()) is True']}
# --- the program ---
import asyncio

async def double(x):
    await asyncio.sleep(0)
    if x < 0:
        raise ValueError(x)
    return 2 * x
