"""Pieces of a model's output in, the text that may be spoken out: whole characters, nothing else.

Removed: thinking blocks, calls of tools, control tokens and the headers of turns, bytes that are no
UTF-8. Text ends at a stop string, or where the model begins to write somebody else's turn. Ordinary
text is handed on at once; only what may be the beginning of a marker or a stop string waits. The
result does not depend on how the text was cut into pieces.

It does not know tokens, models or clauses.
"""

import codecs
import re
from collections.abc import Sequence

_BLOCKS = re.compile(
    r"""
    < (?P<tag> think | thinking | thought | reasoning | reflection | seed:think | scratchpad
             | tool_call | tool_calls | tool_response | function_call | tools ) >
    | \[ (?P<bracket> THINK | TOOL_CALLS | AVAILABLE_TOOLS | TOOL_RESULTS ) \]
    | <\|begin_of_(?P<begin> thought | thinking )\|>
    | <\|channel\|> \s* (?P<channel> analysis | commentary | thought )
        (?: [^<\n]{0,30} <\|message\|> )?
    | <\|channel> \s* (?P<gemma> thought | analysis )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What opens a stretch that nobody should hear."""

_HEADERS = re.compile(
    r"""
    (?: <\|im_start\|> | <start_of_turn> | <\|start\|> | <\|turn> | <\|start_of_role\|> )
        \s* (?P<role> [a-z]+ ) (?: <\|end_of_role\|> | (?=[\s<]) | \Z ) \n?
    | <\|start_header_id\|> \s* (?P<llama> [a-z]+ ) \s* <\|end_header_id\|> \n{0,2}
    | <\|channel\|> \s* final (?: [^<\n]{0,30} <\|message\|> )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What opens a turn, with its role."""

_CONTROLS = re.compile(
    r"""
    <[|\uff5c] [^<>\n]{1,40} [|\uff5c]>
    | < /? (?: s | bos | eos | pad | unk | mask | turn | start_of_turn | end_of_turn | unused\d{1,3}
             | start_of_image | end_of_image | think | thinking | thought | reasoning | reflection
             | seed:think | scratchpad | tool_call | tool_calls | tool_response | function_call
             | tools | 0x[0-9A-F]{2} ) >
    | <<? /? SYS >>?
    | \[ /? (?: INST | THINK | TOOL_CALLS | AVAILABLE_TOOLS | TOOL_RESULTS | SYSTEM_PROMPT ) \]
    | <turn\|> | <channel\|> | <\|turn>
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What is never a word, wherever it stands."""

_OPENERS = re.compile(r"[<\[]")
_LONGEST_MARKER = 64
"""Characters: what has not become a marker by then never will."""

_OURS = frozenset({"assistant", "model", "agent", "gpt", "final"})


class Decoder:
    """Bytes in, whole characters out; a character that was cut waits for its rest."""

    def __init__(self) -> None:
        # what is not UTF-8 cannot be spoken either
        self._utf8 = codecs.getincrementaldecoder("utf-8")("ignore")

    def feed(self, piece: bytes) -> str:
        return self._utf8.decode(piece)

    @property
    def pending(self) -> bool:
        """A character has begun and is not whole."""
        return bool(self._utf8.getstate()[0])


class Cleaner:
    """The text of one reply; fed by one thread."""

    def __init__(self, stop: Sequence[str] = (), *, thinking: bool = False) -> None:
        """`stop`: strings that end the reply. `thinking`: the prompt has opened the block."""
        self._decoder = Decoder()
        self._markers = _Markers(stop, thinking=thinking)
        self._stops = _Stops(stop)
        self._begun = False

    @property
    def stopped(self) -> bool:
        """A stop string or another's turn came: what is fed after it is nothing."""
        return self._stops.stopped or self._markers.stopped

    @property
    def altered(self) -> bool:
        """Something was removed that was no white space: the model wrote more than this text."""
        return self._markers.altered

    def feed(self, piece: str | bytes) -> str:
        """The text that this piece makes certain; often the piece itself, sometimes nothing."""
        if self.stopped:
            return ""
        text = self._decoder.feed(piece) if isinstance(piece, bytes) else piece
        text = self._stops.feed(self._markers.feed(text))
        if self._markers.stopped:
            text += self._stops.end()
        return self._trimmed(text)

    def end(self) -> str:
        """What was held back, once no more will come. A block that was never closed is dropped."""
        if self.stopped:
            return ""
        return self._trimmed(self._stops.feed(self._markers.end()) + self._stops.end())

    def _trimmed(self, text: str) -> str:
        """A reply does not begin with white space."""
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


class _Stops:
    """Ends a text before the first stop string in it."""

    def __init__(self, strings: Sequence[str]) -> None:
        self.stopped = False
        self._strings = tuple(string for string in strings if string)
        self._longest = max((len(string) for string in self._strings), default=0)
        self._held = ""

    def feed(self, text: str) -> str:
        if self.stopped:
            return ""
        self._held += text
        places = [self._held.find(string) for string in self._strings]
        cut = min((place for place in places if place >= 0), default=-1)
        self.stopped = cut >= 0
        if not self.stopped:
            cut = len(self._held) - self._begun()
        certain, self._held = self._held[:cut], self._held[cut:]
        return certain

    def end(self) -> str:
        certain, self._held = ("" if self.stopped else self._held), ""
        return certain

    def _begun(self) -> int:
        """Characters at the end that may be the beginning of a stop string."""
        for length in range(min(self._longest - 1, len(self._held)), 0, -1):
            if any(string.startswith(self._held[-length:]) for string in self._strings):
                return length
        return 0


class _Markers:
    """Removes what is not meant for ears."""

    def __init__(self, stop: Sequence[str], *, thinking: bool) -> None:
        self.stopped = False
        self.altered = False
        self._ends = frozenset(stop)
        self._held = ""
        self._closing = _closing("think") if thinking else None

    def feed(self, text: str) -> str:
        self._held += text
        return self._certain(last=False)

    def end(self) -> str:
        return self._certain(last=True)

    def _certain(self, *, last: bool) -> str:
        out: list[str] = []
        while self._held and not self.stopped:
            if self._closing is not None:
                if not self._skip_block(self._closing):
                    break
                continue
            opener = _OPENERS.search(self._held)
            at = opener.start() if opener else len(self._held)
            out.append(self._held[:at])
            self._held = self._held[at:]
            if not last and self._undecided():
                break
            if self._held and not self._take_marker():
                out.append(self._held[0])  # the bracket is text
                self._held = self._held[1:]
        return "".join(out)

    def _undecided(self) -> bool:
        """More text may change what the marker at the beginning is, or how far it goes."""
        if len(self._held) > _LONGEST_MARKER:
            return False
        return bool(_BEGUN.fullmatch(self._held) or _UNFINISHED.fullmatch(self._held))

    def _take_marker(self) -> bool:
        """Removes the marker that stands at the beginning; False when there is none."""
        if marker := _BLOCKS.match(self._held):
            self._closing = _closing(next(name for name in marker.groups() if name))
        elif marker := _HEADERS.match(self._held):
            role = next((role for role in marker.groups() if role), "final")
            self.stopped = role.lower() not in _OURS
        elif marker := _CONTROLS.match(self._held):
            self.stopped = marker.group() in self._ends
        if marker is None:
            return False
        self.altered = True
        self._held = self._held[marker.end() :]
        return True

    def _skip_block(self, closing: re.Pattern[str]) -> bool:
        """Drops what is inside a block; False while its end has not come."""
        self.altered = True
        end = closing.search(self._held)
        if end is None:
            self._held = self._held[-_LONGEST_MARKER:]
            return False
        self._held = self._held[end.end() :]
        self._closing = None
        return True


_BEGUN = re.compile(
    r"""
    < (?: [|\uff5c] [^<>\n]* | /? [a-z0-9_:]* \|? | <? /? [a-z]* >? )
    | \[ /? [a-z_]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What may become a marker."""

_UNFINISHED = re.compile(
    r"""
    (?: <\|im_start\|> | <start_of_turn> | <\|start\|> | <\|turn> | <\|start_of_role\|> )
        \s* [a-z]* (?: <\|? [a-z_]* )?
    | <\|start_header_id\|> \s* [a-z]* \s* (?: <\|? [a-z_]* (?: \|>? )? \n? )?
    | <\|channel\|?> \s* [a-z]* [^<\n]{0,30} (?: <\|? [a-z_]* \|? )?
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""A marker that opens something, and whose role or message may still follow."""


def _closing(name: str) -> re.Pattern[str]:
    """What ends the block that `name` opened."""
    escaped = re.escape(name)
    ends = rf"</{escaped}>|\[/{escaped}\]|<\|end_of_{escaped}\|>"
    if name.lower() in ("analysis", "commentary", "thought"):
        ends += r"|<\|end\|>|<\|start\|>|<\|channel\|>\s*final\s*<\|message\|>|<channel\|>"
    return re.compile(ends, re.IGNORECASE)
