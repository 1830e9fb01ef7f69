"""What is known of a conversation: who holds the floor, what the caller has said, what is owed.

The steps change it, each for the facts of its rows. It does not know which step follows which.
"""

from dataclasses import dataclass, field, replace

from voiced.config.settings import TurnPace
from voiced.turn.consent import Consent
from voiced.turn.endpoint import Evidence, wait_s
from voiced.turn.facts import Failed, Final
from voiced.turn.floor import Floor
from voiced.turn.orders import Line, Reason, Say, Span
from voiced.turn.redflag import NO_FLAGS, RedFlags
from voiced.turn.take import Take
from voiced.words import Words

GREETING = Take(0, 0)
UNKNOWN = Evidence()

SAYINGS = 2
"""How often a line that must be heard is begun: who talks over it twice does not want it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """What an agent does of its own accord, whatever its language model says."""

    red_flags: RedFlags = NO_FLAGS
    lines: frozenset[Line] = frozenset({Line.GREETING, Line.FALLBACK, Line.GOODBYE})
    """The lines that the agent has."""
    dictating: frozenset[Line] = frozenset()
    """Those of them that ask for a number, an address or a spelling."""
    asks_consent: bool = False
    """The call is to be kept, if the caller agrees."""
    hands_off: bool = False
    """There is somebody who can take over."""


PLAIN = Manner()
"""Lines that every agent has, and nobody to hand off to."""


@dataclass(frozen=True, slots=True)
class Speech:
    """The caller's speech of a turn: stretches between silences."""

    spans: tuple[Span, ...] = ()
    voiced_s: float = 0.0

    def begun(self, sample: int) -> "Speech":
        """One more stretch begins at this sample."""
        return Speech((*self.spans, Span(sample, sample)), self.voiced_s)

    def paused(self, sample: int, voiced_s: float) -> "Speech":
        """The newest stretch ends at this sample, after so many seconds of speech."""
        newest = replace(self.spans[-1], stop=sample)
        return Speech((*self.spans[:-1], newest), self.voiced_s + voiced_s)


@dataclass(slots=True)
class Talk:
    """One call's. Changed by steps alone."""

    pace: TurnPace
    manner: Manner = PLAIN
    floor: Floor = Floor.QUIET
    take: Take = GREETING
    """The live take."""
    deadline: float | None = None

    speech: Speech = Speech()
    unread: Speech = Speech()
    """Speech over the agent whose words are not known yet: what follows it goes on with it."""
    paused_at: float = 0.0
    """Instant of the last voiced sample before the newest pause."""
    evidence: Evidence = UNKNOWN
    outcome: Final | Failed | None = None
    """What came of the work in the pause, as far as it has come."""
    sure_at: float = 0.0
    """Speech over the agent that lasts until then takes the floor."""

    alarmed_from: int | None = None
    """Where the speech begins in which an emergency was named before it was over: what is read of
    it later names the same one."""

    written_in: int = 0
    """The newest turn that began with words that the caller's program wrote."""

    handoff_held: bool = False
    """The live take's reply wants somebody to take over, once the turn has ended."""
    tool_held: bool = False
    """The live take's reply needs tools, which wait for the end of the turn."""
    bridge_at: float | None = None
    """A tool is at work, and the caller is told so then; None: no need."""
    bridged_in: int = 0
    """The newest turn in which the caller was told."""
    over_at: float = 0.0
    """Instant of the newest endpoint."""
    fill_at: float | None = None
    """Where nothing is heard of the agent by then, a filler is; None: no need."""
    filled_in: int = 0
    """The newest turn in which it was."""
    answer_by: float | None = None
    """No sound of the reply by then: it has failed. None: there is some, or a tool is at work."""
    sounds: bool = False
    """There is sound of what the live take's reply has come to."""
    asks: bool = False
    """The newest reply of which there is sound asks for what is dictated."""
    dictated: bool = False
    """So does what the caller heard last."""

    consent: Consent = Consent.NOT_ASKED
    """Whether the caller was asked if the call may be kept, and has answered."""
    saying: Line | None = None
    """The fixed line that ends the live take."""
    owed: dict[Line, int] = field(default_factory=dict)
    """Lines that the caller must still hear to their end: how often each may yet be begun."""
    deaf: bool = False
    """The caller can be heard no more."""
    handed_off: set[Reason] = field(default_factory=set)
    joined: bool = False
    """A person is on the line."""
    misses: int = 0
    """Turns in a row whose words could not be made out."""
    failures: int = 0
    """Replies in a row in which an engine failed."""
    nudges: int = 0
    """How often the caller was asked into a silence."""

    def go(self, floor: Floor, deadline: float | None = None) -> None:
        """The floor is somebody else's; Timeout is wanted at `deadline`."""
        self.floor = floor
        self.deadline = deadline

    def renew(self) -> Take:
        """The turn goes on with another take; returns the one that died."""
        return self._begin(Take(self.take.turn, self.take.take + 1))

    def advance(self) -> Take:
        """Another turn; returns the take that died."""
        return self._begin(Take(self.take.turn + 1, 0))

    @property
    def patience(self) -> float | None:
        """When the caller has waited long enough for the agent's next sound."""
        ends = (self.bridge_at, self.fill_at, self.answer_by)
        return min((end for end in ends if end is not None), default=None)

    @property
    def filling(self) -> bool:
        """All that the caller can have heard in this turn is a filler; its words may be unread."""
        return self.filled_in == self.take.turn and not self.sounds

    def think(self, at: float) -> None:
        """The caller's turn is over."""
        self.over_at = at
        self.go(Floor.THINKING)
        self.await_reply(at)

    def await_reply(self, at: float) -> None:
        """From now on the caller waits for sound of the reply."""
        if self.sounds:
            return
        self.answer_by = at + self.pace.answer_deadline_ms / 1000
        told = self.take.turn in (self.filled_in, self.bridged_in)
        filler = self.pace.filler_ms if Line.FILLER in self.manner.lines else 0
        if self.floor is Floor.THINKING and filler and not told:
            self.fill_at = max(at, self.over_at + filler / 1000)
        self.wait()

    def wait(self) -> None:
        """Timeout is wanted when the patience ends; while both speak, of who goes on."""
        if self.floor in (Floor.THINKING, Floor.SPEAKING):
            self.deadline = self.patience

    def say(self, line: Line) -> Say:
        """A fixed line, as the end of the live take: nothing else is waited for."""
        self.saying = line
        self.dictated |= line in self.manner.dictating
        self._forget_reply()
        if self.floor is Floor.THINKING and self.filling:
            self.go(Floor.SPEAKING)  # the first sound of the take was told with the filler
        self.wait()
        if line in self.owed:
            self.owed[line] -= 1
            if not self.owed[line]:
                del self.owed[line]
        return Say(self.take, line)

    def owe(self, line: Line) -> None:
        """The caller must hear this line to its end. Nothing where the agent does not have it."""
        if line in self.manner.lines:
            self.owed.setdefault(line, SAYINGS)

    def weigh(self, evidence: Evidence) -> None:
        """Moves the endpoint to what is known now."""
        self.evidence = evidence
        self.deadline = self.paused_at + wait_s(evidence, self.pace, dictated=self.dictated)

    def names_emergency(self, text: Words) -> bool:
        """One of the site's phrases stands in these words, however they were read."""
        return self.manner.red_flags.raised_by(text)

    def alarmed(self, text: Words) -> bool:
        """The words name an emergency, or the caller has not yet heard the line about one."""
        return Line.RED_FLAG in self.owed or self.names_emergency(text)

    @property
    def alarm_heeded(self) -> bool:
        """The caller's present speech is the one in which the emergency was named early."""
        return bool(self.speech.spans) and self.speech.spans[0].start == self.alarmed_from

    def _begin(self, take: Take) -> Take:
        stale, self.take, self.saying = self.take, take, None
        self.tool_held = self.handoff_held = self.sounds = False
        self._forget_reply()
        self.unread = Speech()
        return stale

    def _forget_reply(self) -> None:
        self.bridge_at = self.fill_at = self.answer_by = None
