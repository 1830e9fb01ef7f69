"""The sides of `voiced bench llm`: token prompts in, milliseconds and tokens a second out.

It does not know which prompts, nor what is compared with what.
"""

import asyncio
import importlib
import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import llama_cpp

from voiced import clock
from voiced.bench.llm_prompts import GREETING, SYSTEM
from voiced.config.agent import Agent, Lines, Sampling
from voiced.errors import EngineFailed, UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.llm.llama import LlamaModel
from voiced.llm.model import Message, Role
from voiced.llm.native import load_backends
from voiced.llm.scheduler import Job, Scheduler, Urgency
from voiced.words import Words

REPLY_TOKENS = 40
"""Each reply of a throughput measurement; nobody stops before."""

Prompts = Sequence[Sequence[int]]


class Side(Protocol):
    """One way to answer several calls with one model."""

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        """Mean time to the first token of `prompts`, one after the other, where each call's slot
        last answered its prompt of `before`."""
        ...

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        """Tokens a second over all replies, asked for at once or one after the other."""
        ...

    def close(self) -> None: ...


class Ours:
    """The scheduler and its slots, as calls use them."""

    def __init__(self, model: LlamaModel) -> None:
        self._model = model
        self._agent = Agent(
            name="bench",
            languages=("en",),
            prompt=SYSTEM,
            lines={"en": Lines(greeting=GREETING, fallback="", goodbye="")},
            voices={"en": "none"},
        )
        self.language = model.mind.language

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        return asyncio.run(self._ttft_ms(before, prompts))

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        return asyncio.run(self._rate(prompts, together))

    def close(self) -> None:
        self._model.close()

    async def extra_tokens(self) -> int:
        """The most that a turn of a call evaluated beyond what was new; a barge-in in between."""
        await self._model.prepare([self._agent])
        slot = self._model.open(self._agent, "bench")
        history = [Message(Role.ASSISTANT, Words(GREETING))]
        most, prompt, drawn = 0, 0, 0
        for turn in range(6):
            history.append(Message(Role.USER, Words(f"When can I visit room {turn + 1}?")))
            live = Live()
            reply = slot.answer(history, Sampling(max_tokens=24), Ticket("bench", live.take, live))
            text = "".join([words.reveal() async for words in reply])
            stats = reply.stats
            if turn:
                most = max(most, stats.evaluated_tokens - (stats.prompt_tokens - prompt - drawn))
            heard = text[: len(text) // 2] if turn == 3 else text
            history.append(Message(Role.ASSISTANT, Words(heard), cut=turn == 3))
            prompt, drawn = stats.prompt_tokens, stats.reply_tokens * (turn != 3)
        slot.close()
        return most

    async def gaps_ms(self, prompt: Sequence[int]) -> tuple[float, ...]:
        """Between the next tokens of one call, while another call's long prompt is read."""
        spoken = _Counter(10_000)
        self._begin(0, prompt[:50], spoken)
        await spoken.begun.wait()
        began = clock.now()
        await self._drawn(1, prompt, 1)
        ended = clock.now()
        spoken.abandoned = True
        await spoken.done.wait()
        told_at = [at for at in spoken.told_at if began <= at <= ended]
        return tuple(1000 * (b - a) for a, b in itertools.pairwise(told_at))

    async def _ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        for number, prompt in enumerate(before):
            await self._drawn(number, prompt, 1)
        firsts = [await self._drawn(number, prompt, 1) for number, prompt in enumerate(prompts)]
        return 1000 * sum(firsts) / len(firsts)

    async def _rate(self, prompts: Prompts, together: bool) -> float:
        began = clock.now()
        replies = [self._drawn(n, prompt, REPLY_TOKENS) for n, prompt in enumerate(prompts)]
        if together:
            await asyncio.gather(*replies)
        else:
            for reply in replies:
                await reply
        return REPLY_TOKENS * len(prompts) / (clock.now() - began)

    async def _drawn(self, number: int, prompt: Sequence[int], tokens: int) -> float:
        """Seconds to the first token, once all have come."""
        counter = _Counter(tokens)
        began = clock.now()
        self._begin(number, prompt, counter)
        await counter.done.wait()
        return counter.told_at[0] - began

    def _begin(self, number: int, prompt: Sequence[int], counter: "_Counter") -> None:
        mind = self._model.mind
        sampler = mind.make_sampler(Sampling())
        track = self._model.track(number)
        job = Job(track, prompt, counter, Urgency.ANSWER, sampler=sampler)

        def add(scheduler: Scheduler) -> None:
            scheduler.add(job)

        mind.steps.put(add)


class _Counter:
    """Wants so many tokens, whatever they are; a `scheduler.Reader`."""

    def __init__(self, tokens: int) -> None:
        self.abandoned = False
        self.told_at: list[float] = []
        """Instants of the tokens."""
        self.begun = asyncio.Event()
        self.done = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self._left = tokens

    def read(self, _evaluated: int, _likely: float) -> None:
        pass

    def drawn(self, _token: int) -> bool:
        if not self.told_at:
            self._loop.call_soon_threadsafe(self.begun.set)
        self.told_at.append(clock.now())
        self._left -= 1
        return self._left > 0

    def ended(self, error: EngineFailed | None, *, stale: bool) -> None:
        del error, stale
        self._loop.call_soon_threadsafe(self.done.set)


class Shared:
    """One `llama_cpp.Llama` for everybody, one call after the other, as its own server has it."""

    def __init__(self, path: Path, threads: int, context: int) -> None:
        load_backends()
        self._llama: Any = llama_cpp.Llama(
            model_path=str(path),
            n_ctx=context,
            n_threads=threads,
            n_threads_batch=threads,
            flash_attn=True,
            swa_full=True,  # else it could not keep a prefix of this model at all
            verbose=False,
        )

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        self._drawn(before[-1], 1)
        return 1000 * sum(self._drawn(prompt, 1) for prompt in prompts) / len(prompts)

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        del together  # it cannot
        began = clock.now()
        for prompt in prompts:
            self._drawn(prompt, REPLY_TOKENS)
        return REPLY_TOKENS * len(prompts) / (clock.now() - began)

    def close(self) -> None:
        self._llama.close()

    def _drawn(self, prompt: Sequence[int], tokens: int) -> float:
        began = clock.now()
        first_at = 0.0
        for count, _token in enumerate(self._llama.generate(list(prompt), temp=0.0), 1):
            first_at = first_at or clock.now()
            if count == tokens:
                break
        return first_at - began


class Slots:
    """llama-server's slots, inside the process."""

    def __init__(self, path: Path, threads: int, calls: int, context: int) -> None:
        """Raises UnavailableError when the package is not there."""
        try:
            xllamacpp: Any = importlib.import_module("xllamacpp")
        except ModuleNotFoundError:
            raise UnavailableError(
                "xllamacpp is not installed: install voiced with the extra 'bench'"
            ) from None
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_parallel = calls
        params.n_ctx = calls * context
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.swa_full = True
        params.verbosity = -1
        self._server = xllamacpp.Server(params)

    def ttft_ms(self, before: Prompts, prompts: Prompts) -> float:
        for number, prompt in enumerate(before):
            self._drawn(number, prompt, 1)
        firsts = [self._drawn(number, prompt, 1) for number, prompt in enumerate(prompts)]
        return 1000 * sum(firsts) / len(firsts)

    def rate(self, prompts: Prompts, *, together: bool) -> float:
        began = clock.now()
        with ThreadPoolExecutor(len(prompts) if together else 1) as threads:
            drawn = [
                threads.submit(self._drawn, number, prompt, REPLY_TOKENS)
                for number, prompt in enumerate(prompts)
            ]
            for one in drawn:
                one.result()
        return REPLY_TOKENS * len(prompts) / (clock.now() - began)

    def close(self) -> None:
        self._server = None

    def _drawn(self, number: int, prompt: Sequence[int], tokens: int) -> float:
        began = clock.now()
        first_at = 0.0

        def told(_chunk: object) -> bool:
            nonlocal first_at
            first_at = first_at or clock.now()
            return False

        self._server.handle_completions(
            {
                "prompt": list(prompt),
                "n_predict": tokens,
                "temperature": 0.0,
                "id_slot": number,
                "cache_prompt": True,
                "ignore_eos": True,
                "stream": True,
            },
            told,
        )
        return first_at - began
