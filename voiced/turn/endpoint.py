"""How long a pause must be to end the caller's turn. Pure.

A pause is not over or not over: the surer it is that the caller is done, the shorter we wait. What
is known comes in while the pause lasts, and each piece of evidence moves the deadline:

    last voiced sample
    |-- floor --|------------------------------- ceiling --|
                ^ the model is sure, the words end          ^ the words promise more
                          ^ in between, by probability

A number that is being dictated, a name that is spelled and a mark that leaves a sentence open wait
for the ceiling, whatever a model thinks of them; a word with which hardly a sentence ends does
unless the model is sure. In a short turn the model has to be surer than in a long one.

An answer that is dictated, since the agent has asked for a number or an address, has another scale:
its floor lies half-way up the usual one, and its ceiling is `patient_ms`.
"""

import math
import re
from dataclasses import dataclass

from voiced.config.settings import TurnPace
from voiced.words import NOTHING, Words

UNSURE, SURE = 0.0, 1.0
"""Probabilities of the end, on the scale that all language models share: at or below the one a
pause is worth the ceiling, at or above the other the floor."""

_WORDS_ALONE = (
    "yes no yeah yep nope stop help okay ok sure right exactly correct certainly definitely please"
    " thanks goodbye bye hello hi maybe perhaps never always sometimes none both neither nothing"
    " nobody today tomorrow yesterday tonight now monday tuesday wednesday thursday friday saturday"
    " sunday 네 아니요 예"
)
_PHRASES_ALONE = (
    "thank you, no thank you, no thanks, yes please, thank you very much, thanks a lot, not really,"
    " not yet, of course, i think so, i hope so, i see, all right, that's right, that's it,"
    " that's all, that was all, that's me, i don't, i do, i am, i'm not, no i'm not,"
    " yes that's me, yes that's right"
)
_WHOLE = frozenset([*_WORDS_ALONE.split(), *_PHRASES_ALONE.split(", ")])
"""One of these alone is a whole turn, though a language model has seen every one of them go on."""

_WORDS_THAT_BEGIN = "yes no yeah hello hi okay ok sure please right thanks"
_BEGINNINGS = frozenset(_WORDS_THAT_BEGIN.split())
"""Whole turns with which longer ones often begin: "no, thank you". They are given a little more."""

_BEGINNING = 0.75

_LONG = 9
"""Words of a turn that has said enough for the model to tell. A pause in a shorter one is the
likelier to be within it: "I feel", "my back has been". Words of English; see `_length`."""

_SYLLABLE = re.compile("[\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fff\uac00-\ud7a3]")
"""A sign of Hangul, kana or Han. Such words are longer than English ones, or not parted at all."""

_SYLLABLES_OF_A_WORD = 2
"""Of Korean, where English has a word: 1.9 in what our agents say in both."""

_TIME_NOUN = (
    r"(?:second|minute|hour|day|week|month|year|morning|afternoon|evening|night|weekend|breakfast"
    r"|lunch|dinner|supper|noon|midnight|bedtime|christmas|easter|spring|summer|autumn|winter"
    r"|january|february|march|april|may|june|july|august|september|october|november|december"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|yesterday|today|tomorrow)s?"
)
_NUMBER = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
    r"|\d{1,2}(?::\d\d)?)"
)
_WHEN = re.compile(
    r"(?:(?:since|on|at|in|by|for|after|before|until|till|around|about|every|each|last|next|this"
    r"|over|during|maybe|only|just|once|twice|times|half|quarter|past|to|the|a|an|few|couple|of"
    rf"|{_NUMBER}) )*"
    rf"(?:{_TIME_NOUN}|o'clock|(?:at|by|past|to|until|till|after|before|around) {_NUMBER})"
    r"(?: (?:ago|now|please|morning|afternoon|evening|night))?"
)
"""The answer to "when", "how long" and "how often": a time and nothing else."""

_BRIEFLY = re.compile(
    r"(?:yes|no|yeah) (?:i|you|he|she|it|we|they|that|there)"
    r"(?:'m| am| is| are| was| were| do| does| did| have| has| had| can| could| will| would"
    r"| should)(?: not|n't)?"
)
"""The answer to a question of yes or no: "no, I haven't"."""

_OPEN_WORD = re.compile(
    r"(?:\b(?:and|but|or|because|so|if|the|a|an|my|your|his|our|their|of|to|for|with|at|from|is|was"
    r"|are|were|than|um+|uh+|er+|mrs?|dr|about|into|whether|whoever|i|i'm|i'd|i've"
    r"|we|they|could|would|should|name|number|address|birthday|surname|born))\s*$",
    re.IGNORECASE,
)
"""A word with which hardly a sentence ends."""

_SURE_DESPITE = 0.7
"""So sure a model is believed against such a word."""

_OPEN_MARK = re.compile(r"(?:,|-|\.\.\.|…)\s*$")
"""What a recogniser writes where the voice goes on."""

_DICTATED = re.compile(r"(?:^|[\s,-])(?:\d[\s,-]*)+$")
_GROUPS = re.compile(
    r"\d[\s,-]+\d+\s*$|\bnumber(?: is|'s) \d+$|(?:^|\b(?:is|it|it's) )\d\s*$", re.IGNORECASE
)
_LETTERS = re.compile(r"(?P<said>\b(?:is|[Ii]t's|[Tt]hat's) )?(?P<letters>(?:\b[A-Z]\b[\s,-]*)+)$")
_FULL_NAME = 5
"""Letters that are spelled at the end of a turn: fewer may be the beginning of a name."""

_BORN = re.compile(
    r"\b(?:birth|birthday|born)\b.*\b(?:january|february|march|april|may|june|july|august"
    r"|september|october|november|december)(?: (?:the )?\d{1,2}(?:st|nd|rd|th)?)?$",
    re.IGNORECASE,
)
"""A date of birth whose year is still to come."""

_MARKS = re.compile(r"[.?!\s]+$")
_FULL_NUMBER = 7
"""Digits in groups at the end of a turn: fewer may be the beginning of a telephone or record
number. Six wait for the ceiling too: a number of ten is said as three, three and four, and behind
the second group nothing tells it from one of six. Six that were said in one breath stand in one
group, and do not wait."""

_KOREAN_MOBILE = re.compile(r"\W*010[\s,-]")
_FULL_MOBILE = 11
"""Its digits, said as three, four and four: behind seven it is not over."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of a pause so far."""

    words: Words = NOTHING
    """The caller's turn so far, as it was read; none while it has not been."""
    probability: float | None = None
    """That the turn ends here, by the language model; None while it has not been asked."""


def wait_s(evidence: Evidence, pace: TurnPace, *, dictated: bool = False) -> float:
    """Seconds from the last voiced sample to the end of the turn, by what is known now."""
    floor_s, ceiling_s = pace.endpoint_delay_ms / 1000, pace.endpoint_ceiling_ms / 1000
    if dictated and not whole(evidence.words):
        floor_s = (floor_s + ceiling_s) / 2
        ceiling_s = max(ceiling_s, pace.patient_ms / 1000)
    if evidence.probability is None:
        return ceiling_s
    likely = min(max(evidence.probability, UNSURE), SURE)
    if promises_more(evidence.words, likely):
        return ceiling_s
    likely = _by_length(likely, evidence.words)
    if whole(evidence.words):
        likely = max(likely, _BEGINNING if _begins(evidence.words) else SURE)
    return ceiling_s - (ceiling_s - floor_s) * likely


def _by_length(likely: float, words: Words) -> float:
    """The same for a turn of so many words; what is certain stays so."""
    return math.pow(likely, (_LONG + 1) / (min(_length(words), _LONG) + 1))


def _length(words: Words) -> float:
    """How much was said, in words of English, however the language writes or parts its own."""
    return sum(_worth(word) for word in words.reveal().split())


def _worth(word: str) -> float:
    rest, syllables = _SYLLABLE.subn("", word)
    if not syllables:
        return 1.0
    return syllables / _SYLLABLES_OF_A_WORD + any(sign.isalnum() for sign in rest)


def whole(words: Words) -> bool:
    """The words are an answer that needs nothing more."""
    if _OPEN_MARK.search(words.reveal()):
        return False
    text = _bare(words)
    return text in _WHOLE or any(brief.fullmatch(text) for brief in (_WHEN, _BRIEFLY))


def _begins(words: Words) -> bool:
    """Longer turns often begin with such an answer: "no, I can't hear you"."""
    text = _bare(words)
    return text in _BEGINNINGS or _BRIEFLY.fullmatch(text) is not None


def _bare(words: Words) -> str:
    """Lower case, without marks."""
    text = _MARKS.sub("", words.reveal()).strip().lower()
    return text.replace(",", "").replace("\u2019", "'")


def promises_more(words: Words, likely: float = UNSURE) -> bool:
    """The words end where a sentence does not, or in a number that may go on.

    `likely`: that the turn ends here, by the model. It knows sentences that end in such a word
    ("where the pharmacy is"), and it does not know how long numbers and names are.
    """
    text = _MARKS.sub("", words.reveal()) if not words.reveal().rstrip().endswith("...") else "..."
    if whole(words):
        return False
    if _OPEN_MARK.search(text) or _spelled(text) or _BORN.search(text):
        return True
    if likely < _SURE_DESPITE and _OPEN_WORD.search(text):
        return True
    dictated = _DICTATED.search(text)
    return dictated is not None and _may_go_on(dictated.group()) and _listed(text)


def _spelled(text: str) -> bool:
    """A name is being spelled: a few letters stand at the end, or one that was announced."""
    found = _LETTERS.search(text)
    letters = sum(sign.isalpha() for sign in found["letters"]) if found else 0
    return 1 < letters < _FULL_NAME or (letters == 1 and found is not None and bool(found["said"]))


def _may_go_on(number: str) -> bool:
    digits = sum(sign.isdigit() for sign in number)
    return digits < (_FULL_MOBILE if _KOREAN_MOBILE.match(number) else _FULL_NUMBER)


def _listed(text: str) -> bool:
    """A number is being dictated: groups of digits stand at the end, or digits that were announced;
    not one plain number."""
    return _GROUPS.search(text) is not None
