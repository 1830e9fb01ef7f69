"""A vocabulary of letters, and an engine that keeps caches but knows no model."""

from collections.abc import Callable, Collection, Sequence

import pytest

from voiced.config.agent import Agent, Lines, Sampling, Tool
from voiced.errors import EngineFailed
from voiced.llm.batch import Run

CONTROLS = [
    "<bos>",
    "<eos>",
    "<start_of_turn>",
    "<end_of_turn>",
    "<|im_start|>",
    "<|im_end|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<s>",
    "</s>",
    "[INST]",
    "[/INST]",
]


BEDS = Tool(
    name="find_bed",
    description="Finds a bed.",
    kind="client",
    parameters={
        "type": "object",
        "required": ["ward", "night"],
        "additionalProperties": False,
        "properties": {
            "ward": {"enum": ["Nörd", 'the "old" one']},
            "night": {"type": "integer", "minimum": 3, "maximum": 17},
            "near": {"type": "array", "items": {"$ref": "#/$defs/door"}, "maxItems": 2},
            "code": {"type": "string", "pattern": "^[A-C][0-9]{2}$"},
        },
        "$defs": {"door": {"type": "string", "maxLength": 3}},
    },
)
BELL = Tool(name="ring", description="Rings.", kind="client")
CALLING = Agent(
    name="reception",
    languages=("en",),
    prompt="",
    lines={"en": Lines(greeting="", fallback="", goodbye="")},
    voices={"en": "joe"},
    tools=(BEDS, BELL),
)


class LetterVocabulary:
    """A token is a letter, or a control token beyond all letters."""

    def __init__(self, begin: str | None = "<bos>") -> None:
        self.begin = None if begin is None else self.control(begin)
        self.asked: list[tuple[str, bool]] = []

    @staticmethod
    def control(name: str) -> int:
        return 0x110000 + CONTROLS.index(name)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        self.asked.append((text, special))
        found = []
        while text:
            name = next((n for n in CONTROLS if special and text.startswith(n)), text[0])
            found.append(self.control(name) if name in CONTROLS else ord(name))
            text = text[len(name) :]
        return found

    def piece(self, token: int) -> bytes:
        return b"" if token >= 0x110000 else chr(token).encode()

    def name(self, token: int) -> str:
        return self.text([token])

    def ends(self, token: int) -> bool:
        return self.text([token]) in ("<eos>", "<end_of_turn>", "<|im_end|>", "<|eot_id|>", "</s>")

    def text(self, tokens: Sequence[int]) -> str:
        return "".join(CONTROLS[t - 0x110000] if t >= 0x110000 else chr(t) for t in tokens)


class ByteVocabulary:
    """A token is a byte, a few bytes that often stand together, or a control token."""

    begin = None

    def __init__(self, controls: Sequence[str] = ()) -> None:
        self._pieces = [bytes([byte]) for byte in range(256)]
        self._pieces += [b">{", b">[", b">{x", b'{"', b"```json", b"call:", b'[{"', b" [ "]
        self._controls = ["<eos>", "<eot>", *controls]
        self.size = len(self._pieces) + len(self._controls)

    def tokens(self, text: str, *, special: bool) -> list[int]:
        found = []
        while text:
            name = next((n for n in self._controls if special and text.startswith(n)), "")
            if name:
                found.append(len(self._pieces) + self._controls.index(name))
            else:
                found += text[0].encode()
            text = text[len(name) or 1 :]
        return found

    def whole(self, piece: bytes) -> int:
        """The one token of a piece that stands together."""
        return self._pieces.index(piece)

    def piece(self, token: int) -> bytes:
        return self._pieces[token] if token < len(self._pieces) else b""

    def name(self, token: int) -> str:
        return self.piece(token).decode() or self._controls[token - len(self._pieces)]

    def ends(self, token: int) -> bool:
        return len(self._pieces) <= token < len(self._pieces) + 2


class LetterEngine:
    """Caches are lists; what follows a cache is asked of `follow`."""

    batch_tokens = 64

    def __init__(self, follow: Callable[[list[int]], int]) -> None:
        self.follow = follow
        self.caches: dict[int, list[int]] = {}
        self.steps: list[list[Run]] = []
        self.samplers = 0
        self.failing = False
        self._outputs: list[int] = []

    def decode(self, runs: Sequence[Run]) -> None:
        assert sum(len(run.tokens) for run in runs) <= self.batch_tokens
        assert len({run.sequence for run in runs}) == len(runs)
        self.steps.append(list(runs))
        if self.failing:
            raise EngineFailed("llm", "decode returned -3")
        for run in runs:
            cache = self.caches.setdefault(run.sequence, [])
            assert run.start == len(cache)
            assert run.tokens
            cache += run.tokens
        self._outputs = [run.sequence for run in runs if run.output]

    def draw(self, output: int, allowed=None) -> int:
        """What follows; where that is not allowed, the last that is."""
        token = self.follow(self.caches[self._outputs[output]])
        return token if allowed is None or allowed[token] else int(allowed.nonzero()[0][-1])

    def close(self) -> None:
        self.samplers -= 1

    def sampler(self, _sampling: Sampling) -> "LetterEngine":
        self.samplers += 1
        return self

    def probability(self, output: int, tokens: Collection[int]) -> float:
        return float(self.draw(output) in tokens)

    def cut(self, sequence: int, length: int) -> None:
        del self.caches.setdefault(sequence, [])[length:]

    def save(self, sequence: int) -> list[int]:
        return list(self.caches[sequence])

    def restore(self, sequence: int, state: list[int]) -> None:
        if self.failing:
            raise EngineFailed("llm", "cache cannot be restored")
        self.caches[sequence] = list(state)


@pytest.fixture
def vocabulary() -> LetterVocabulary:
    return LetterVocabulary()


@pytest.fixture
def engine() -> LetterEngine:
    """Goes on with the alphabet, from whatever letter came last."""
    return LetterEngine(lambda cache: cache[-1] + 1)
