"""Claims in English, as it is read aloud: a rule for each kind.

It does not know what has been told.
"""

from collections.abc import Iterator

from voiced.call.grounding import claims
from voiced.call.grounding.claims import Claim
from voiced.call.grounding.english.dates import dates
from voiced.call.grounding.english.doses import doses, often_at
from voiced.call.grounding.english.names import names
from voiced.call.grounding.english.phones import phones
from voiced.call.grounding.english.times import free, times
from voiced.call.grounding.english.tokens import Text, tokens


def claimed(text: str) -> list[Claim]:
    """What a clause states."""
    seen = Text(text)
    return [
        *doses(seen),
        *(claim for _, _, claim in times(seen)),
        *dates(seen),
        *(claims.phone(digits) for digits in phones(seen)),
        *names(seen.tokens),
    ]


def offered(text: str, *, loose: bool) -> set[Claim]:
    """What a text allows to be said; `loose`: its bare numbers may be times and doses, too."""
    seen = Text(text)
    told = list(times(seen))
    taken = {place for begin, end, _ in told for place in range(begin, end)}
    found = {*doses(seen, anything=True)}
    found |= {other for one in dates(seen) for other in claims.days(one)}
    found |= {other for _, _, one in told for other in claims.clocks(one)}
    found |= {other for digits in phones(seen, anything=True) for other in claims.phones(digits)}
    if loose:
        found |= {
            one for at in range(len(seen.tokens)) if at not in taken for one in _bare(seen, at)
        }
    return found


def _bare(seen: Text, at: int) -> Iterator[Claim]:
    """A number that counts nothing."""
    number = seen[at].number
    if number is None or not (free(seen, at + 1) or often_at(seen, at + 1)):
        return
    yield from claims.bares(number)
    if number.denominator == 1 and 0 < number <= 24:
        yield from claims.clocks(claims.clock(int(number), 0))


def words(text: str) -> list[str]:
    """Every word of a text: a name that stands there may be said."""
    return [token.word.removesuffix("'s") for token in tokens(text) if not token.mark]
