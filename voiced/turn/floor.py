"""Who holds the floor, and the refusal of a fact that does not belong there."""

from enum import StrEnum, auto


class Floor(StrEnum):
    """Who holds the floor."""

    QUIET = auto()  # nobody
    HEARING = auto()  # the caller speaks
    PAUSING = auto()  # the caller paused; an answer is made, and held until the endpoint
    THINKING = auto()  # the caller's turn is over; no answer is heard yet
    SPEAKING = auto()  # the agent speaks
    OVERLAPPING = auto()  # both speak, the agent softly; it falls silent if this goes on
    HOLDING = auto()  # the agent keeps its place in silence while the caller speaks
    DECIDING = auto()  # the caller has paused; what was said decides who goes on
    JOINED = auto()  # a person speaks with the caller; the agent neither speaks nor listens
    AWAY = auto()  # the line is lost; the caller may come back, and nothing is said meanwhile
    LEAVING = auto()  # the agent says goodbye; nothing is heard any more


class NoRow(LookupError):
    """A fact came that the table does not expect on this floor. Nothing has changed."""

    def __init__(self, floor: Floor, fact: type) -> None:
        super().__init__(f"{fact.__name__} while {floor}")
        self.floor = floor
        self.fact = fact
