"""One call's tools: each is run once a turn, in its time, and what it returns enters the history.

A tool that was begun is not stopped by the death of its take: what it does may be half done. It
ends with the call. Whatever goes wrong with one is told to the model as its result. It does not
know turns, models, or how a site's server is reached.
"""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Protocol

from voiced.call.news import Told, ToolsWanted, ToolWanted
from voiced.call.transcript import Errand, Transcript
from voiced.config.agent import Tool
from voiced.errors import EngineFailed
from voiced.llm.tool_calls import NOTHING_ASKED, Asked, ToolCall
from voiced.ops import log, metrics
from voiced.turn.take import Take
from voiced.words import Words

ROUNDS = 4
"""So often a reply may ask for tools in one turn."""

LARGEST = 64 * 1024
"""Bytes of a result."""


class ToolFailed(Exception):
    """A tool did not do what it was asked for; the message is for the model, and has no words."""


class Hand(Protocol):
    """Asks a site's server. Main loop."""

    async def __call__(self, tool: Tool, arguments: Words, key: str, /) -> Words:
        """What the tool returns, `key` naming what it is to do only once. Raises ToolFailed."""
        ...


async def nobody(_tool: Tool, _arguments: Words, _key: str) -> Words:
    """Where there are no servers."""
    raise ToolFailed("there is no such server here")


class Tools:
    """Main loop only."""

    def __init__(
        self, call: str, tools: Mapping[str, Tool], hand: Hand, transcript: Transcript, told: Told
    ) -> None:
        self._call = call
        self._tools = tools
        self._hand = hand
        self._transcript = transcript
        self._told = told
        self._held: tuple[Take, Asked] = (Take(-1, 0), NOTHING_ASKED)
        self._rounds: tuple[int, int] = (-1, 0)
        """A turn, and how often tools were asked for in it."""
        self._begun: dict[str, asyncio.Task[Words]] = {}
        self._asked: dict[str, asyncio.Future[Words]] = {}
        """What the caller's program is to return, by the call's id."""

    def hold(self, take: Take, asked: Asked) -> None:
        """Keeps what a reply asks for until it is to be run. Raises EngineFailed after too many."""
        turn, rounds = self._rounds
        self._rounds = (take.turn, rounds + 1 if turn == take.turn else 1)
        if self._rounds[1] > ROUNDS:
            raise EngineFailed("llm", "asks for tools again and again")
        self._held = (take, asked)

    async def run(self, take: Take, tasks: asyncio.TaskGroup) -> None:
        """Runs what the take's reply asked for; returns when all of it has ended.

        May be cancelled: the tools go on as `tasks`, and their results enter the history.
        """
        held, asked = self._held
        if held != take:
            return
        errand = self._transcript.sent(take, asked.text, len(asked.calls))
        running = []
        for number, call in enumerate(asked.calls):
            task = self._begin(take, call, tasks)
            task.add_done_callback(_noting(errand, number))
            running.append(task)
        await asyncio.sleep(0)  # each has told the program what it wants of it
        if self._asked:
            self._told(ToolsWanted(take, self._transcript.made(take)))
        await asyncio.wait(running)
        await asyncio.sleep(0)  # what had ended before is noted, too

    def returned(self, call_id: str, output: Words) -> bool:
        """The caller's program has run a tool. False: nobody waits for it."""
        waiting = self._asked.get(call_id)
        if waiting is None or waiting.done():
            return False
        waiting.set_result(output)
        return True

    def close(self) -> None:
        """Ends what still runs."""
        for task in self._begun.values():
            task.cancel()

    def _begin(self, take: Take, call: ToolCall, tasks: asyncio.TaskGroup) -> "asyncio.Task[Words]":
        """The task that runs a call: the one that has begun already, where there is one."""
        key = self._key(take.turn, call)
        if key not in self._begun:
            self._begun[key] = tasks.create_task(self._result(take, call, key))
        return self._begun[key]

    def _key(self, turn: int, call: ToolCall) -> str:
        parts = [self._call, turn, call.name, call.arguments.reveal(), call.fault.reveal()]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]

    async def _result(self, take: Take, call: ToolCall, key: str) -> Words:
        outcome, result = await self._outcome(take, call, key)
        metrics.TOOLS.labels(outcome).inc()
        name = call.name if call.name in self._tools else "unknown"
        log.info("tool.ended", call=self._call, turn=take.turn, tool=name, outcome=outcome)
        return result

    async def _outcome(self, take: Take, call: ToolCall, key: str) -> tuple[str, Words]:
        if call.fault:
            return "refused", _error(call.fault.reveal())
        tool = self._tools[call.name]
        try:
            async with asyncio.timeout(tool.timeout_ms / 1000):
                if tool.kind == "client":
                    result = await self._ask_client(take, call, key)
                else:
                    result = await self._hand(tool, call.arguments, key)
        except TimeoutError:
            return "late", _error("no answer in time; it may have been done all the same")
        except ToolFailed as failure:
            return "failed", _error(str(failure))
        if len(result.reveal().encode()) > LARGEST:
            return "too_large", _error("it was done, and its answer is too long to be read")
        return "done", result if result else Words("done")

    async def _ask_client(self, take: Take, call: ToolCall, key: str) -> Words:
        call_id = f"call_{key[:24]}"
        waiting: asyncio.Future[Words] = asyncio.get_running_loop().create_future()
        self._asked[call_id] = waiting
        try:
            self._told(ToolWanted(take, call_id, call.name, call.arguments))
            return await waiting
        finally:
            del self._asked[call_id]


def _noting(errand: Errand, number: int) -> "Callable[[asyncio.Task[Words]], None]":
    def note(task: "asyncio.Task[Words]") -> None:
        if not task.cancelled() and task.exception() is None:
            errand.results[number] = task.result()

    return note


def _error(reason: str) -> Words:
    return Words(json.dumps({"error": reason}, ensure_ascii=False))
