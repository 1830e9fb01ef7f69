"""Does the agent ask for something that is dictated? Pure.

Who reads out a telephone number, an address or the letters of a name pauses within it, and is cut
off by an agent that waits as for any sentence. It does not know how long to wait instead.
"""

import re

from voiced.words import Words

_DICTATED = re.compile(
    r"\bnumbers?\b|\bdate of birth\b|\bbirth ?(?:date|day)s?\b|\bwere you born\b"
    r"|\baddress(?:es)?\b|\bstreet\b|\bpost ?codes?\b|\bpostal code\b|\bzip\b"
    r"|\bspell(?:ed|ing)?\b|\bletter by letter\b|\bdigits?\b|\be-?mail\b"
    r"|번호|생년월일|생일|주소|철자|도로명",
    re.IGNORECASE,
)
"""What is dictated. In Korean: number, date of birth, birthday, address, spelling, street name."""

_ASKED = re.compile(
    r"[?\uFF1F]|\b(?:please|tell me|give me|let me have|i (?:will |just )?need|i'll need|spell"
    r"|may i|can i|could i|could you|can you|would you)\b"
    r"|주세요|주시|주실|말씀|알려"
    r"|되세요|되시|무엇|어디|언제",
    re.IGNORECASE,
)
"""A question or a request."""

_TOLD = re.compile(r"\d{3}|\b(?:call|dial|ring|our)\b", re.IGNORECASE)
"""The agent gives a number rather than asking for one."""

_SENTENCE = re.compile(r"[^.!?\uFF1F\n]+[.!?\uFF1F]*")


def asks_for_dictation(said: Words) -> bool:
    """Whether one of these sentences of the agent's asks for a number, an address or a spelling."""
    return any(
        _DICTATED.search(sentence) and _ASKED.search(sentence) and not _TOLD.search(sentence)
        for sentence in _SENTENCE.findall(said.reveal().replace("\u2019", "'"))
    )
