"""`voiced bench tts --voice sonic`: first sound from a Sonic server, against the vendor's 90 ms.

The server is the one that the settings name; each round is a reply of two clauses in a context of
its own, for one caller and for several at once. Sound comes faster than it is heard, or it is an
underrun. What leaves the site is the sentence below, and it is billed. It does not know the
protocol.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from voiced import clock
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.bench.harness import Spread
from voiced.bench.options import BenchOptions
from voiced.bench.play import Play, play
from voiced.config.settings import Settings
from voiced.config.sonic import Sonic, SonicVoice
from voiced.errors import ConfigError, EngineFailed, UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.llm.clauses import Clauses
from voiced.tts.diction import sample
from voiced.tts.lexicon_files import read_lexicons
from voiced.tts.model import Voice
from voiced.tts.sonic.choir import Choir
from voiced.words import Words

NAME = "sonic"
"""The first voice of the settings, of the language that is asked for."""

VENDOR_MS = 90.0
"""What the vendor promises to the first sound."""

_CALLS = 4
"""At once, in the second part: what the vendor's smallest worker is said to take."""


def chosen(options: BenchOptions) -> SonicVoice | None:
    """The voice of Sonic's that is meant; None for one of this machine. Raises ConfigError."""
    sonic = options.settings.sonic
    named = [voice for voice in sonic.voices if voice.name == options.voice]
    if named:
        return named[0]
    if options.voice != NAME:
        return None
    for voice in sonic.voices:
        if options.language in (None, voice.language):
            return voice
    raise ConfigError(
        "sonic.voices: none"
        + (f" in {options.language!r}" if options.language else "")
        + ": write sonic.url and a [[sonic.voices]] in the file that --config names"
    )


def run(options: BenchOptions, voice: SonicVoice) -> dict[str, object]:
    """The measures of a server. Raises UnavailableError and ConfigError."""
    calls = options.calls or _CALLS
    try:
        alone, together = asyncio.run(_measured(options.settings, voice, calls, options.rounds))
    except EngineFailed as failure:
        raise UnavailableError(
            f"sonic: voice {voice.name!r} broke off: {failure.reason}: look at sonic.model, the "
            "voice's id, and how many calls at once the licence allows"
        ) from None
    ttfb = Spread(tuple(one.ttfb_ms for one in alone))
    crowded = Spread(tuple(one.ttfb_ms for one in together))
    return {
        "ttfb": ttfb.json(),
        "ttfb_ratio": round(ttfb.median / VENDOR_MS, 4),
        "baseline_ttfb": {"p50": VENDOR_MS},
        "ttfb_at_once": crowded.json(),
        "calls": calls,
        "underruns": sum(one.underruns for one in (*alone, *together)),
        "voice": voice.name,
        "language": voice.language,
        "model": options.settings.sonic.model,
        "unit": "ms",
    }


async def _measured(
    settings: Settings, voice: SonicVoice, calls: int, rounds: int
) -> tuple[Sequence[Play], Sequence[Play]]:
    """Plays of one caller, and of several at once."""
    lexicons = read_lexicons(settings.tts.lexicon_dir)
    choir = await Choir.open(_bounded(settings.sonic), {voice.name}, lexicons)
    try:
        await choir.warm()
        speaker = choir.voices[voice.name]
        alone = [await _reply(speaker, voice.language, "0", take) for take in range(rounds)]
        together: list[Play] = []
        for take in range(rounds, 2 * rounds):
            callers = (_reply(speaker, voice.language, str(call), take) for call in range(calls))
            together += await asyncio.gather(*callers)
    finally:
        await choir.close()
    return alone, together


def _bounded(sonic: Sonic) -> Sonic:
    """A bench waits for no start of the vendor's services: they run, or it says so."""
    return replace(sonic, ready_deadline_ms=min(sonic.ready_deadline_ms, 5_000))


async def _reply(voice: Voice, language: str, call: str, take: int) -> Play:
    """One reply as it came. Raises EngineFailed."""
    live = Live()
    ticket = Ticket(f"{call}-{take}", live.take, live)
    arrivals: list[tuple[float, float]] = []

    def sink(pcm: Pcm) -> None:
        arrivals.append((clock.now(), len(pcm) / SPEAKING_HZ))

    splitter = Clauses(language)
    clauses = splitter.feed(sample(language)) + splitter.end()
    begun_at = clock.now()
    for number, clause in enumerate(clauses):
        await voice.speak(Words(clause), sink, ticket, first=number == 0)
    if not arrivals:
        raise EngineFailed("tts", "silent")
    return play(begun_at, arrivals)
