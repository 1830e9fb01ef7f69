"""What was said and what was in truth heard; the source of the next prompt. Pure.

The agent's part of an exchange is kept clause by clause, with the samples of sound that each clause
became, so that a cursor in samples tells which words the caller heard. It does not know tokens or
templates.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum, auto

from voiced.audio.pcm import SPEAKING_HZ
from voiced.llm.model import Message, Role
from voiced.tts.timing import Timed, heard_words, words_over
from voiced.turn.take import Take
from voiced.words import NOTHING, Words, joined

_SLOW_CHARACTERS_PER_S = 10
"""A slow speaker's. Judges a clause that was cut before its length was known: so never too much."""


@dataclass(slots=True)
class Clause:
    """Part of what the agent says; whoever makes its sound writes here how far that has come."""

    text: Words
    begun: bool = False
    """The first of its sound is made. Set by any thread."""
    over: bool = False
    """No more of its sound will be made."""
    samples: int = 0
    whole: bool = False
    bridging: bool = False
    """Said while the caller waited for more: heard, and no part of what the model said."""
    timed: Timed | None = None
    """When which word was over, where the voice told."""

    def spoke(self, samples: int, *, whole: bool, timed: Timed | None = None) -> None:
        """So much sound was made of it; `whole` if that is all of it."""
        self.begun = self.over = True
        self.samples, self.whole, self.timed = samples, whole, timed

    @property
    def seconds(self) -> float:
        """Of the whole clause, whether or not all of it was made."""
        made = self.samples / SPEAKING_HZ
        return made if self.whole else max(made, len(self.text) / _SLOW_CHARACTERS_PER_S)

    def made(self) -> Words:
        """The words of it that became sound: not all, where the voice failed."""
        return self.text if self.whole else self.heard(self.samples / SPEAKING_HZ)

    def heard(self, seconds: float) -> Words:
        """The words that so much of its sound holds."""
        if self.timed is not None and self.timed.known and seconds < self.seconds:
            return words_over(self.text, self.timed, seconds)
        return heard_words(self.text, self.seconds, seconds)


class Who(StrEnum):
    """Whose words of a turn."""

    CALLER = auto()  # said aloud
    WRITER = auto()  # written by the caller's program
    AGENT = auto()


PENDING = Words('{"error": "not answered yet; it may be done all the same"}')


@dataclass(slots=True)
class Errand:
    """Tools that were run for a reply, all at once."""

    text: Words
    """The calls as the model wrote them."""
    after: int
    """Clauses of the exchange that were said before them."""
    results: list[Words]
    """One for each call; a tool that is still at work has the standing one."""


@dataclass(slots=True)
class _Exchange:
    """One turn: the caller's words, and the agent's of its newest take."""

    take: Take
    written: Words = NOTHING
    """What the caller's program wrote, before anything was said."""
    caller: Words = NOTHING
    clauses: list[Clause] = field(default_factory=list)
    errands: list[Errand] = field(default_factory=list)
    cut_at: int | None = None
    """Samples that were heard when the agent was cut off; None while it was not."""


class Transcript:
    """The conversation of one call. Main loop only."""

    def __init__(self) -> None:
        self._exchanges: list[_Exchange] = []

    def asked(self, take: Take, text: Words) -> None:
        """The caller's whole turn; a later take of the same turn replaces it."""
        self._exchange(take).caller = text

    def wrote(self, take: Take, text: Words) -> None:
        """The caller's program wrote words for the caller; they stay for every take of the turn."""
        self._exchange(take).written = text

    def speaking(self, take: Take, text: Words, *, bridging: bool = False) -> Clause:
        """The agent begins to make sound of a clause.

        One that bridges is heard before a clause whose sound has not begun.
        """
        clauses = self._exchange(take).clauses
        clause = Clause(text, bridging=bridging)
        waiting = bridging and bool(clauses) and not clauses[-1].begun
        clauses.insert(len(clauses) - waiting, clause)
        return clause

    def sent(self, take: Take, text: Words, calls: int) -> Errand:
        """Tools are run for the take; whoever runs them writes the results into what is returned.

        They stay in the history, whatever becomes of the take.
        """
        exchange = self._exchange(take)
        errand = Errand(text, len(exchange.clauses), [PENDING] * calls)
        exchange.errands.append(errand)
        return errand

    def cut(self, take: Take, heard_samples: int) -> None:
        """The agent was silenced when this much of the take's sound had been heard."""
        exchange = self._find(take.turn)
        if exchange is not None and exchange.take == take:
            exchange.cut_at = heard_samples

    def made(self, take: Take) -> int:
        """Samples of sound that were made of the take so far."""
        exchange = self._find(take.turn)
        known = exchange is not None and exchange.take == take
        return sum(clause.samples for clause in exchange.clauses) if exchange and known else 0

    def forget(self, turn: int, who: Who) -> None:
        """What was said, or written, in a turn is no longer in the history."""
        for exchange in self._exchanges:
            if exchange.take.turn != turn:
                continue
            match who:
                case Who.CALLER:
                    exchange.caller = NOTHING
                case Who.WRITER:
                    exchange.written = NOTHING
                case Who.AGENT:
                    for clause in exchange.clauses:
                        clause.text, clause.timed = NOTHING, None

    def spoken(self, turn: int) -> Words:
        """What the caller said aloud in a turn."""
        exchange = self._find(turn)
        return exchange.caller if exchange is not None else NOTHING

    def said(self, turn: int) -> Words:
        """What the caller said in a turn, aloud or in writing."""
        exchange = self._find(turn)
        return _said(exchange) if exchange is not None else NOTHING

    def saying(self, turn: int) -> Words:
        """What the agent says in a turn, as far as it is known, heard or not."""
        exchange = self._find(turn)
        return joined([c.text for c in exchange.clauses]) if exchange is not None else NOTHING

    def sounded(self, turn: int, samples: int) -> Words:
        """What the agent says in those clauses of a turn that this much of its sound has begun."""
        begun: list[Words] = []
        begin = 0
        exchange = self._find(turn)
        for clause in exchange.clauses if exchange is not None else []:
            if begin > samples:
                break
            begun.append(clause.text)
            begin += clause.samples
        return joined(begun)

    def turns_after(self, turn: int) -> list[int]:
        """The turns behind this one of which anything is known, in order."""
        return sorted({e.take.turn for e in self._exchanges if e.take.turn > turn})

    def sounding(self, turn: int) -> bool:
        """The agent's newest clause of a turn is being made, and some of it may be heard."""
        exchange = self._find(turn)
        clauses = exchange.clauses if exchange is not None else []
        return bool(clauses) and clauses[-1].begun and not clauses[-1].over

    def bridged(self, turn: int) -> bool:
        """All that the agent has said in a turn so far bridges the wait for its reply."""
        exchange = self._find(turn)
        clauses = exchange.clauses if exchange is not None else []
        return bool(clauses) and all(clause.bridging for clause in clauses)

    def last_reply(self, before: int) -> list[Words]:
        """The clauses of the newest thing that the agent said before a turn, heard or not."""
        replies = (e.clauses for e in reversed(self._exchanges) if e.take.turn < before)
        return [clause.text for clause in next((found for found in replies if found), [])]

    def heard(self, turn: int) -> Words:
        """What the caller heard of the agent in a turn."""
        exchange = self._find(turn)
        return _heard(exchange) if exchange is not None else NOTHING

    def messages(self) -> list[Message]:
        """The history for the next prompt: only what was heard, and roles always alternate.

        Turns of the caller between which nothing was heard become one message.
        """
        return _messages(self._exchanges)

    def asking(self, take: Take, text: Words) -> list[Message]:
        """The history as it would be if these were the words of the take: nothing is noted."""
        turn = take.turn
        others = [one for one in self._exchanges if one.take.turn != turn or one.errands]
        found = self._find(take.turn)
        written = found.written if found is not None else NOTHING
        return _messages([*others, _Exchange(take, written, text)])

    def _exchange(self, take: Take) -> _Exchange:
        """The turn's exchange, begun anew for a take that it does not know."""
        exchange = self._find(take.turn)
        if exchange is None:
            exchange = _Exchange(take)
            self._exchanges.append(exchange)
        elif exchange.take < take and exchange.errands:
            # what was done for the caller was done: the turn goes on behind it
            exchange = _Exchange(take, exchange.written)
            self._exchanges.append(exchange)
        elif exchange.take < take:
            exchange.take = take
            exchange.cut_at = None
            exchange.clauses.clear()
        return exchange

    def _find(self, turn: int) -> _Exchange | None:
        return next((e for e in reversed(self._exchanges) if e.take.turn == turn), None)


def _said(exchange: _Exchange) -> Words:
    return joined([exchange.written, exchange.caller])


def _messages(exchanges: list[_Exchange]) -> list[Message]:
    found: list[Message] = []
    for exchange in exchanges:
        for message in _parts(exchange):
            if not message.text:
                continue
            if found and found[-1].role == message.role:
                message = Message(
                    message.role, joined([found.pop().text, message.text]), message.cut
                )
            found.append(message)
    return found


def _parts(exchange: _Exchange) -> Iterator[Message]:
    """The messages of an exchange: around each errand, what was heard before it and behind it."""
    heard, cut = _heard_clauses(exchange), exchange.cut_at is not None
    own = [NOTHING if clause.bridging else words for clause, words in heard]
    yield Message(Role.USER, _said(exchange))
    begin = 0
    for errand in exchange.errands:
        text = joined([*own[begin : errand.after], errand.text])
        yield Message(Role.ASSISTANT, text, cut)
        yield Message(Role.TOOL, joined(errand.results))
        begin = errand.after
    yield Message(Role.ASSISTANT, joined(own[begin:]), cut)


def _heard(exchange: _Exchange) -> Words:
    return joined([words for _clause, words in _heard_clauses(exchange)])


def _heard_clauses(exchange: _Exchange) -> list[tuple[Clause, Words]]:
    if exchange.cut_at is None:
        return [(clause, clause.made()) for clause in exchange.clauses]
    heard: list[tuple[Clause, Words]] = []
    left = exchange.cut_at
    for clause in exchange.clauses:
        heard.append((clause, clause.heard(left / SPEAKING_HZ) if left > 0 else NOTHING))
        left -= clause.samples
    return heard
