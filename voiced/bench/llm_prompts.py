"""The token prompts that every side of `voiced bench llm` gets.

It does not know the sides.
"""

from dataclasses import dataclass

from voiced.llm.conversation import Conversation, Language
from voiced.llm.model import Message, Role
from voiced.words import Words

HISTORY_TOKENS = 1200
LONG_TOKENS = 3000
SYSTEM = """This is a transcript of phone calls to the reception of Larkfield Hospital. \
The receptionist is friendly and answers in one or two short sentences."""
GREETING = "Larkfield Hospital reception. How can I help you?"

_QUESTIONS = (
    "Can you tell me where I find ward {number}, please?",
    "My mother was brought to room {number} this morning. When can I visit her?",
    "Is the pharmacy beside lift {number} open on Saturday afternoon?",
    "I would like to move my appointment with Doctor Kim to the {number} of June.",
)
_ANSWERS = (
    "It is on the second floor, on the left when you come out of the lift.",
    "You can visit her every day from ten in the morning until eight in the evening.",
    "It is open until six in the evening. On Sunday it is closed.",
    "Thank you. I have moved your appointment. Is there anything else?",
)


@dataclass(frozen=True, slots=True)
class Calls:
    """Prompts by call."""

    fourth: list[list[int]]
    """Of the fourth turn."""
    fifth: list[list[int]]
    """Of the fifth turn: the fourth's, an answer, and a new question."""
    short: list[list[int]]
    """Of a call that has just begun."""
    long: list[int]
    """Some 3,000 tokens."""


def made(language: Language, calls: int) -> Calls:
    """Every call says something else, so that nobody gains from another's history."""
    fourth, fifth, short = [], [], []
    for call in range(calls):
        history = [Message(Role.ASSISTANT, Words(GREETING)), _question(call, 0)]
        short.append(_prompt(language, history))
        turn = 0
        while len(_prompt(language, history)) < HISTORY_TOKENS:
            turn += 1
            history += [_answer(turn), _question(call, turn)]
        fourth.append(_prompt(language, history))
        fifth.append(_prompt(language, [*history, _answer(turn + 1), _question(call, turn + 1)]))
    long = fifth[0] + fifth[1][1:] + fifth[2][1:]
    return Calls(fourth, fifth, short, long[:LONG_TOKENS])


def _prompt(language: Language, history: list[Message]) -> list[int]:
    return Conversation(language, SYSTEM).prompt(history, "", 160)


def _question(call: int, turn: int) -> Message:
    text = _QUESTIONS[(call + turn) % len(_QUESTIONS)].format(number=10 * call + turn + 1)
    return Message(Role.USER, Words(text))


def _answer(turn: int) -> Message:
    return Message(Role.ASSISTANT, Words(_ANSWERS[turn % len(_ANSWERS)]))
