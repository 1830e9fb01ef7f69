"""What a recogniser is: a resident model that all calls share.

It does not know turns, prompts or callers; it turns the PCM of one utterance into words.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from voiced.audio.pcm import Pcm
from voiced.flow.cancel import Ticket
from voiced.stt.leaning import Leaning
from voiced.words import Words


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the recogniser is asked to read."""

    pcm: Pcm
    """16 kHz; pre-roll and tail included."""
    language: str
    """ISO 639-1, from the agent's list."""
    hotwords: tuple[str, ...] = ()
    """Names that the agent expects: given to the model as a hint, never believed without speech."""
    voiced_s: float = 0.0
    """Seconds in which the VAD heard speech; the gate weighs the text against it."""
    leaning: Leaning | None = None
    """It may be in another of the agent's languages: it is read in the one that this leads to.
    None: it is in `language`."""


Names = Callable[[Words], int]
"""How many words of a text are what is listened for; 0: it does not name it. Any thread."""

Again = Callable[[Sequence[str], Names], Awaitable[Words]]
"""Listens to what was read once more, for these phrases: how it reads with them in mind, where that
names one of them and the sound bears it out; else no words. Raises as `transcribe` does."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What the recogniser read, with the evidence that the gate judges it by."""

    text: Words
    language: str
    """In which it was read."""
    avg_logprob: float
    """Mean log-probability of the tokens. Weak evidence: invented loops score well."""
    no_speech: float
    """Whisper's own probability that there was no speech. Weak evidence too."""
    compression: float
    """zlib ratio of the text: above about 2.4 it repeats itself."""
    tokens: int
    leaning: Leaning | None = None
    """What the utterance's has become."""
    again: Again | None = field(default=None, compare=False)
    """None: the recogniser cannot."""


@dataclass(frozen=True, slots=True)
class Partial:
    """What was read of an utterance that still grows."""

    stable: Words
    """Whole words that two passes agree on. Rarely, the final text differs all the same."""
    tentative: Words
    """What stands behind them; the next pass may read something else."""
    leaning: Leaning | None = None
    """What the utterance's has become."""


class Partials(Protocol):
    """A recogniser that also reads utterances that still grow. Called from the main loop."""

    async def partial(
        self, utterance: Utterance, before: Partial | None, ticket: Ticket
    ) -> Partial:
        """Reads what there is so far, once nothing more urgent waits.

        `before` is what the last pass over the same utterance gave. Raises as `transcribe` does.
        """
        ...


class SpeechToText(Protocol):
    """Resident; owns its thread. Called from the main loop."""

    async def transcribe(self, utterance: Utterance, ticket: Ticket) -> Heard:
        """Reads one whole utterance.

        Raises EngineFailed when the model fails, and asyncio.CancelledError when awaited by a task
        that is cancelled; a stale ticket's utterance is dropped from the queue without an inference
        and raises Stale.
        """
        ...

    def close(self) -> None:
        """Ends the thread; waits for the inference that runs."""
        ...
