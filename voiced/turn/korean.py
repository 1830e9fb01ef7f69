"""A Korean word without its particle or its ending. Pure.

Who speaks of a patient says one verb in many forms: 아파요, 아프세요, 아프십니다, 아프시대요. So
its ending is taken off letter by letter, as it was put on: who is honoured, when it was, and how
the sentence goes on. What a word is cannot be told from its letters: it has a stem as a noun, in
syllables, and one as a verb, in letters, so that neither is taken for the other (죽을 is porridge,
죽고 is not). It does not know which words are looked for.
"""

import re
import unicodedata

HANGUL = re.compile(r"[\uac00-\ud7a3]")

_NOUN = re.compile(r"(.+?)(?:에서|으로|께서|하고|이|가|은|는|을|를|도|에|만|의|로)?")

_HONOURED = "(?:하|해)?(?:(?:으)?(?:시|세|셔))?"
"""Also what makes a verb of a noun, whose letters are the stem then."""

_WHEN = "(?:[\u1161-\u1175]?\u11bb|았|었|였|겠)*"
"""The first has grown together with the stem: 아팠."""

_THAT = "(?:\u11ab|는)?(?:다고|다는데|다네|다|대)"
"""What somebody else says: 아프다고, 쉰다고, 아프대."""

_ON = """습니다 \u11b8니다 아 어 여 아서 어서 여서 서 고 지 지만 네 면 니까 려고 거든 더니 던 더라고
    은 는 \u11ab \u11af 은데 는데 \u11ab데 는지 \u11ab지 은가 \u11ab가 을까 \u11af까 죠"""

_VERB = re.compile(
    unicodedata.normalize(
        "NFD", f"(.{{2,}}?){_HONOURED}{_WHEN}(?:{_THAT}|{'|'.join(_ON.split())})?(?:요)?"
    ),
    re.DOTALL,
)
_LAST_VOWEL = re.compile("(?<=.{2})[\u1161-\u1175]$", re.DOTALL)
"""아프 and 아파 are 아ㅍ."""

_SOFTENED = re.compile("(?<=.{2})\u110b$", re.DOTALL)
"""What the last letter of 어지럽 becomes in 어지러워."""


def stems(word: str) -> frozenset[str]:
    """What the word may be a form of."""
    noun = _NOUN.fullmatch(word)
    return frozenset([noun[1] if noun else word, verb(word)])


def verb(word: str) -> str:
    """Its stem if it is a verb; forms of it begin with that."""
    found = _VERB.fullmatch(unicodedata.normalize("NFD", word))
    return _SOFTENED.sub("\u11b8", _LAST_VOWEL.sub("", found[1])) if found else word
