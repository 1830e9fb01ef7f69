"""A world that tells the turn machine what could be true, at random: any conversation at all."""

import random

from tests.unit.turn.test_machine import (
    AGAIN,
    BACKCHANNEL,
    FULL,
    GOODBYE,
    PACE,
    PAIN,
    QUESTION,
    SPOKEN,
    STOP,
    WRITTEN,
)
from voiced.turn.consent import agrees
from voiced.turn.facts import (
    ClauseSounds,
    ClientAsked,
    ClientStopped,
    Connected,
    EndScored,
    Fact,
    Failed,
    Final,
    HearingLost,
    Joined,
    Leaving,
    LineDue,
    LineLost,
    Overheard,
    Parted,
    Partial,
    PlayoutFinished,
    PlayoutStarted,
    SpeechStarted,
    SpeechStopped,
    Suspected,
    Timeout,
    ToolAsked,
    ToolReturned,
    Withheld,
)
from voiced.turn.machine import Floor, Manner, TurnMachine
from voiced.turn.orders import (
    Answer,
    Bridge,
    EndCall,
    HandOff,
    Keep,
    Line,
    Order,
    Overhear,
    Proceed,
    PutThrough,
    Release,
    Repeat,
    RunTool,
    Say,
    Transcribe,
)
from voiced.turn.take import Take
from voiced.words import NOTHING, Words

_RARE = (Floor.HOLDING, Floor.DECIDING)
"""Short floors, on which the rest of the world must hurry."""


class World:
    """Tells a machine random facts, each of which could be true after those before it.

    Asserts on the way that no turn is answered twice.
    """

    def __init__(
        self, chance: random.Random, manner: Manner = FULL, also: tuple[Words, ...] = ()
    ) -> None:
        """`also`: what the caller may say besides."""
        self.machine = TurnMachine(PACE, manner)
        self._said = (NOTHING, *[QUESTION] * 5, PAIN, GOODBYE, AGAIN, *also)
        self._over = (NOTHING, BACKCHANNEL, STOP, PAIN, *also)
        self._handed_off = False
        self._joined = False
        self._chance = chance
        self._now = 0.0
        self._connected = False
        self._voiced = False
        self._deaf = False
        self._started: Take | None = None
        self._finished: Take | None = None
        self._sayable: Take | None = None
        self._transcribing: Take | None = None
        self._read: Take | None = None
        """The take whose words are listened to again."""
        self._answering: Take | None = None
        self._scored = False
        self._overhearing: Take | None = None
        self._running: Take | None = None
        self._asked: Take | None = None
        self._audible: set[Take] = set()
        """Takes that have something to hear, be it a filler."""
        self._own: set[Take] = set()
        """Takes with words that answer."""
        self._sorry: set[Take] = set()
        """Takes that apologise for what became of a reply, after tools that it needed."""
        self._replied: dict[int, Take] = {}
        """The take in which each turn was answered: no turn is answered twice."""
        self._released: set[Take] = set()
        self._ended = False
        self.kept = self.agreed = 0
        """How often the call was to be kept, and a yes was read since the question was heard."""
        self._asked_consent = False
        self._consent_in: Take | None = None

    def come_to_an_end(self) -> None:
        """From now on the caller is silent and all engines work: the call must come to its end."""
        for _ in range(80):
            if self._ended:
                return
            self._now += 0.02
            fact = self._due()
            self._note(fact, self.machine.handle(fact))
        raise AssertionError(f"nothing ends this call: {self.machine.floor}")

    def _due(self) -> Fact:
        """What must happen next where nothing goes wrong."""
        now, take = self._now, self.machine.take
        if not self._connected:
            return Connected(now)
        if self._joined:
            return Parted(now)
        if self._voiced:
            return SpeechStopped(now, int(now * 100), 0.3)
        if self._transcribing == take:
            return Final(now, take, QUESTION)
        if self._overhearing == take:
            return Overheard(now, take, NOTHING, asking=False)
        if self._answering == take and not self._scored:
            return EndScored(now, take, 1.0)
        if self._running == take:
            return ToolReturned(now, take)
        if self._answering == take and take not in self._own:
            return ClauseSounds(now, take, SPOKEN)
        if self._sayable == take and self._finished != take and take in self._own:
            started = self._started == take
            return PlayoutFinished(now, take) if started else PlayoutStarted(now, take)
        assert self.machine.deadline is not None, f"a dead end: {self.machine.floor}"
        self._now = max(now, self.machine.deadline)
        return Timeout(self._now)

    def step(self) -> tuple[Floor, type]:
        self._now = self._later(self._chance.choice([0.02, 0.1, 0.3, 1.0, 6.0, 16.0]))
        possible = self._possible()
        if not possible:
            possible = [Leaving(self._now) if self._ended else self._due()]
        fact = self._chance.choice(possible)
        floor = self.machine.floor
        self._note(fact, self.machine.handle(fact))
        return floor, type(fact)

    def _later(self, seconds: float) -> float:
        """So much later, or just when the machine is to be woken: that is told first."""
        later, deadline = self._now + seconds, self.machine.deadline
        if deadline is not None and self._now < deadline < later and self._chance.random() < 0.3:
            return deadline
        return later

    def _possible(self) -> list[Fact]:
        now, take = self._now, self.machine.take
        facts: list[Fact] = [Leaving(now)] if self._chance.random() < 0.02 else []
        if not self._connected:
            return [*facts, Connected(now)]
        if self._handed_off and self._chance.random() < 0.2:
            facts.append(LineDue(now, self._chance.choice([Line.ONE_MOMENT, Line.HAND_OFF])))
        if self._chance.random() < 0.06:
            facts += [ClientAsked(now, WRITTEN), ClientStopped(now)]
        facts += self._lost(now)
        facts += self._joining(now)
        facts += self._spoken(now)
        if self.machine.deadline is not None and self.machine.deadline <= now:
            facts.append(Timeout(now))
        if self._transcribing == take:
            text = self._chance.choice(self._said)
            facts += [Final(now, take, text), Failed(now, take)]
        return [*facts, *self._heard(now, take)]

    def _spoken(self, now: float) -> list[Fact]:
        """What the detector may have to tell, and after a while that it has failed."""
        sample = int(now * 100)
        failed = self._chance.random() < (0.1 if self.machine.floor in _RARE else 0.01)
        if self._deaf:
            return []
        lost: list[Fact] = [HearingLost(now)] if failed else []
        if self.machine.floor is Floor.JOINED:
            return lost  # what is said there is not for the agent
        spoken = SpeechStopped(now, sample, 0.3) if self._voiced else SpeechStarted(now, sample)
        return [spoken, *lost]

    def _joining(self, now: float) -> list[Fact]:
        """A person may join a call that was handed off, and go again."""
        often = 0.3 if self.machine.floor in (Floor.AWAY, Floor.LEAVING, *_RARE) else 0.04
        if not self._handed_off or self._chance.random() > often:
            return []
        return [Parted(now) if self._joined else Joined(now)]

    def _lost(self, now: float) -> list[Fact]:
        """What the line may have to tell, and a program whose caller is away."""
        lost, floor = LineLost(now, now + 30.0), self.machine.floor
        if floor is Floor.AWAY:
            some = [ClientAsked(now, WRITTEN), ClientStopped(now), lost]
            return [Connected(now), *(some if self._chance.random() < 0.5 else [])]
        return [lost] if self._chance.random() < (0.3 if floor is Floor.LEAVING else 0.01) else []

    def _heard(self, now: float, take: Take) -> list[Fact]:
        """What the engines and the playout may have to tell."""
        facts: list[Fact] = []
        if self.machine.floor in (Floor.HEARING, Floor.PAUSING) and self._chance.random() < 0.3:
            facts.append(Partial(now, take, self._chance.choice([QUESTION, PAIN])))
        if self._overhearing == take:
            text = self._chance.choice(self._over)
            facts.append(Overheard(now, take, text, asking=self._chance.random() < 0.2))
        if self._answering == take and not self._scored:
            facts.append(EndScored(now, take, self._chance.random()))
        if self._answering == take:
            hurry = 4 if self.machine.floor in _RARE else 1
            sounds = [ClauseSounds(now, take, SPOKEN)] * hurry if self._scored else []
            facts += [Failed(now, take), *sounds]
        deciding = self.machine.floor in _RARE
        often = 1.0 if deciding else 0.2
        if self._answering == take and self._scored and self._chance.random() < often:
            facts += [ToolAsked(now, take)] * (3 if deciding else 1)
        if self._running == take and self._chance.random() < often:
            facts += [ToolReturned(now, take)] * (3 if deciding else 1)
        facts += self._withheld(now, take)
        facts += self._suspected(now, take)
        busy = take in (self._running, self._asked)
        heard = self._answering != take or self._scored  # an answer is made after its score
        if self._sayable == take and self._finished != take and heard:
            facts += self._played(now, take, busy=busy)
        return facts

    def _withheld(self, now: float, take: Take) -> list[Fact]:
        """Told behind the line that says so."""
        rare = self.machine.floor in (Floor.DECIDING, Floor.HOLDING)
        if self._answering != take or take not in self._own:
            return []
        return [Withheld(now, take)] if rare or self._chance.random() < 0.2 else []

    def _suspected(self, now: float, take: Take) -> list[Fact]:
        rare = self.machine.floor in _RARE
        if self._read != take or self._chance.random() < (0.0 if rare else 0.9):
            return []
        return [Suspected(now, take, self._chance.choice([QUESTION, PAIN]))]

    def _played(self, now: float, take: Take, *, busy: bool) -> list[Fact]:
        started = self._started == take
        if started:
            more = busy or (self._answering == take and self._chance.random() < 0.8)
            return [PlayoutFinished(now, take)] if take in self._own and not more else []
        if take in self._audible:
            return [PlayoutStarted(now, take)]
        nothing = not busy and self._chance.random() < 0.2
        return [PlayoutFinished(now, take)] if nothing else []  # a reply with nothing to hear

    def _note(self, fact: Fact, orders: list[Order]) -> None:
        self._told(fact)
        self._consented(fact, orders)
        for order in orders:
            self._sound(order)
            self._work(order)
        if self._started in self._own:
            assert self._started is not None
            answered = self._replied.setdefault(self._started.turn, self._started)
            assert self._started in {answered, *self._sorry}, "two replies to one turn"

    def _consented(self, fact: Fact, orders: list[Order]) -> None:
        self.kept += sum(isinstance(order, Keep) for order in orders)
        match fact:
            case PlayoutFinished(_, take) if take == self._consent_in:
                self._asked_consent = True
            case Final(_, _, text) | Overheard(_, _, text) if self._asked_consent:
                self.agreed += agrees(text) is True
        for order in orders:
            if isinstance(order, Say) and order.line is Line.CONSENT:
                self._consent_in = order.take

    def _told(self, fact: Fact) -> None:
        match fact:
            case Connected():
                self._connected, self._voiced = True, False  # the detector begins anew
                self._deaf = False
            case HearingLost():
                self._deaf, self._voiced = True, False
            case SpeechStarted() | SpeechStopped():
                self._voiced = isinstance(fact, SpeechStarted)
            case Joined() | Parted():
                self._joined, self._voiced = isinstance(fact, Joined), False
            case PlayoutStarted(_, take):
                self._started = take
            case ClauseSounds(_, take, _):
                self._audible.add(take)
                self._own.add(take)
            case _:
                self._done(fact)

    def _done(self, fact: Fact) -> None:
        """What is no longer at work."""
        match fact:
            case PlayoutFinished(_, take):
                self._finished, self._answering = take, None
            case Final(_, take):
                self._transcribing = self._answering = None
                self._read = take
            case Failed():
                self._transcribing = self._answering = None
            case Suspected():
                self._read = None
            case ToolAsked(_, take):
                self._asked, self._answering = take, None
            case ToolReturned():
                self._running = None
            case EndScored():
                self._scored = True
            case Overheard():
                self._overhearing = None

    def _work(self, order: Order) -> None:
        match order:
            case Transcribe(take):
                self._transcribing = take
            case Answer(take):
                self._answering, self._scored = take, False
            case Repeat(take):
                self._answering, self._scored = take, True
            case RunTool(take):
                self._running, self._asked = take, None
            case Proceed(take):
                self._answering, self._scored = take, True
            case Overhear(take):
                self._overhearing = take

    def _sound(self, order: Order) -> None:
        match order:
            case HandOff():
                self._handed_off = True
            case Say(take, line):
                self._sayable = take
                self._audible.add(take)
                self._own.add(take)
                if line is Line.FALLBACK:
                    self._sorry.add(take)
            case Bridge(take) | PutThrough(take):
                self._audible.add(take)
                self._sayable = take
            case Release(take):
                assert take not in self._released, "released twice"
                self._released.add(take)
                self._sayable = take
            case EndCall():
                self._ended = True
