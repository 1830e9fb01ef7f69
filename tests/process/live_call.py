"""A caller who asks again and again until told to hang up: a line on its input.

    live_call.py URL TOKEN AUDIO [CA]

Prints `connected`, `answered` after each answer, and at the end one JSON object: how many questions
were asked and answered, and whether the daemon ended the call.
"""

import asyncio
import json
import ssl
import sys
from pathlib import Path

from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange

REPLY_S = 60.0


def tell(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main() -> None:
    url, token, audio, *ca = sys.argv[1:]
    tls = ssl.create_default_context(cafile=ca[0]) if ca else None
    caller = Caller(url, exchange=HttpExchange(url, token, tls))
    told = asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await caller.open()
    tell("connected")
    asked = answered = 0
    cut = False
    try:
        await caller.until_onset(caller.connected_at, REPLY_S)
        while not told.done():
            said = await caller.say(Path(audio), 600)
            asked += 1
            if await caller.until_onset(said.last_voiced_at, REPLY_S) is not None:
                answered += 1
                tell("answered")
                await caller.until_quiet(600, said.last_voiced_at)
    except ConnectionError:
        cut = True
    finally:
        await caller.close()
    tell(json.dumps({"asked": asked, "answered": answered, "cut": cut}))
    await told


asyncio.run(main())
