"""Fixed lines: what an agent says word for word, made into sound when the daemon starts.

They are kept as PCM, so that they play when every engine is down; a line that the agent leaves
empty is absent. It does not know when a line is said (`voiced.turn`), nor to whom.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.config.agent import Agent, Lines
from voiced.errors import ConfigError, EngineFailed, UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.tts.chime import soft_sound
from voiced.tts.model import Voice
from voiced.tts.spoken import speak
from voiced.tts.timing import Timed
from voiced.turn.orders import Line
from voiced.words import NOTHING, Words

_NEEDED = (Line.GREETING, Line.FALLBACK, Line.GOODBYE)
"""A call that could not say one of these would be silent where it must not be."""


@dataclass(frozen=True, slots=True)
class FixedLine:
    """A line of the agent's as sound."""

    text: Words
    pcm: Pcm
    """At SPEAKING_HZ. 48 kB a second."""
    timed: Timed | None = None
    """When which word is over, where the voice tells."""


class FixedLines:
    """Makes lines; what several agents say in one voice is made and kept once. Main loop only."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, str, str], FixedLine] = {}  # voice, place, text
        self._voices: list[Voice] = []  # held, so that no other gets the number of one of them

    @property
    def seconds(self) -> float:
        """Of sound that is kept."""
        return sum(len(line.pcm) for line in self._made.values()) / SPEAKING_HZ

    async def of(self, agent: Agent, language: str, voice: Voice) -> Mapping[Line, FixedLine]:
        """The agent's lines in one language. Raises ConfigError and UnavailableError."""
        found: dict[Line, FixedLine] = {Line.FILLER: FixedLine(NOTHING, soft_sound())}
        place = agent.locales.get(language, language)
        written = {**texts(agent.lines[language]), Line.HAND_OFF: agent.handoff_line(language)}
        for line, text in written.items():
            if text:
                made = await self._line(text, place, voice)
                if not len(made.pcm):
                    raise _unsayable(agent, language, line)
                found[line] = made
            elif line in _NEEDED:
                raise _unsayable(agent, language, line)
        return found

    async def _line(self, text: str, place: str, voice: Voice) -> FixedLine:
        """`place`: a language, with its country where that is known."""
        key = (id(voice), place, text)
        if key not in self._made:
            self._made[key] = await _made(text, place, voice)
            self._voices.append(voice)
        return self._made[key]


def texts(lines: Lines) -> dict[Line, str]:
    """What stands in an agent's file; the disclosure is the beginning of what is said first."""
    asks = bool(lines.consent.strip())
    return {
        Line.GREETING: f"{lines.disclosure} {lines.greeting}".strip(),
        Line.DISCLOSURE: lines.disclosure.strip(),
        Line.FALLBACK: lines.fallback.strip(),
        Line.GOODBYE: lines.goodbye.strip(),
        Line.ONE_MOMENT: lines.one_moment.strip(),
        Line.TAKEN_OVER: lines.taken_over.strip(),
        Line.HANDED_BACK: lines.handed_back.strip(),
        Line.RED_FLAG: lines.red_flag.strip(),
        Line.STILL_THERE: lines.still_there.strip(),
        Line.CLOSING_SOON: lines.closing_soon.strip(),
        Line.FILLER: lines.filler.strip(),
        Line.NOT_KNOWN: lines.not_known.strip(),
        Line.DEVICE_LOST: lines.device_lost.strip(),
        Line.CONSENT: f"{lines.disclosure} {lines.consent}".strip() if asks else "",
        Line.WELCOME: lines.greeting.strip() if asks else "",
    }


async def _made(text: str, place: str, voice: Voice) -> FixedLine:
    live = Live()
    form = Words(speak(text, place))
    chunks: list[Pcm] = [np.zeros(0, np.int16)]
    try:
        spoken = await voice.speak(
            form, chunks.append, Ticket("lines", live.take, live), first=True
        )
    except EngineFailed as failure:
        raise UnavailableError(
            f"a fixed line in {place!r} cannot be made ({failure}): is its voice whole?"
        ) from None
    return FixedLine(Words(text), np.concatenate(chunks), Timed(form, spoken.word_ends))


def _unsayable(agent: Agent, language: str, line: Line) -> ConfigError:
    return ConfigError(
        f"agent {agent.name!r}: lines.{language}.{line.value}: nothing in it can be spoken: "
        "write at least a word"
    )
