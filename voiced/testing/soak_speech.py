"""What a soak's callers say, and what they make of what they hear: hums, or words. Pure.

With models of straw a caller hums a code and hears it hummed back; with real ones it asks what the
demonstration knows, in a recorded voice, and hears the mark of its own call behind each clause.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from voiced.audio import file
from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.testing import tones
from voiced.testing.tones import Fault

TOPICS: Mapping[str, tuple[str, str]] = {
    "visit": ("question_visiting_hours.wav", "When are visiting hours?"),
    "park": ("question_parking.wav", "Do you have parking?"),
    "pharmacy": ("question_pharmacy.wav", "How do I find the pharmacy?"),
}
"""What stands in what the caller said, the recording, and the same in writing."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One question, ready to be asked."""

    pcm: Pcm
    text: str
    mark: int
    """Heard where it is answered."""
    kind: str
    """What is to go wrong with it, or its topic."""


@dataclass(frozen=True, slots=True)
class Heard:
    """Whose marks there are, and whether there is a fixed line."""

    marks: frozenset[int]
    line: bool


class Speech(Protocol):
    """How callers speak."""

    @property
    def answer_s(self) -> float:
        """A turn that has had neither an answer nor an apology by then has been forgotten."""
        ...

    def ask(self, caller: int, turn: int, fault: Fault, call: str) -> Asked: ...

    def heard(self, pcm: Pcm) -> Heard: ...


@dataclass(frozen=True, slots=True)
class Hums:
    """For models of straw."""

    answer_s: float = 12.0

    def ask(self, caller: int, turn: int, fault: Fault, call: str) -> Asked:
        """Every second question has a code of its own."""
        code = tones.code_of(caller + turn % 2, fault)
        pcm = tones.hum(tones.hertz(code), 0.8, HEARING_HZ)
        kind = fault.name.lower().replace("_", " ")
        return Asked(pcm, f"Question {tones.word(code)} please.", tones.caller_of(code), kind)

    def heard(self, pcm: Pcm) -> Heard:
        """The codes of callers."""
        said = tones.heard(pcm, HEARING_HZ)
        marks = frozenset(tones.caller_of(code) for code in said if code is not None)
        return Heard(marks, None in said)


@dataclass(frozen=True, slots=True)
class Words:
    """For the demonstration's models."""

    recordings: Path
    answer_s: float = 40.0
    """Two cores carry three calls with a second or three of waiting; a hung stage is given up after
    eight, and what is tried again takes as long once more."""

    def ask(self, caller: int, turn: int, fault: Fault, call: str) -> Asked:
        """The fault is the daemon's own affair."""
        topic = [*TOPICS][(caller + turn) % len(TOPICS)]
        name, text = TOPICS[topic]
        return Asked(
            file.read(self.recordings / name, HEARING_HZ), text, tones.mark_of(call), topic
        )

    def heard(self, pcm: Pcm) -> Heard:
        """The marks of calls."""
        marks = tones.marks_in(pcm, HEARING_HZ)
        return Heard(frozenset(marks - {tones.LINE_MARK}), tones.LINE_MARK in marks)


def misheard(asked: Sequence[Asked], events: Sequence[Mapping[str, Any]]) -> set[str]:
    """Topics that the daemon told a caller to have heard, and that it never spoke of."""
    said = " ".join(
        str(one.get("transcript", "")).lower()
        for one in events
        if one.get("type") == "conversation.item.input_audio_transcription.completed"
    )
    return {topic for topic in TOPICS if topic in said} - {one.kind for one in asked}
