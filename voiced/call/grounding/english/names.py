"""Names of people in English: behind a title, in the place of a person, or a common given name.

    Doctor Kim      speak with Anna Lee      your nurse, Tom, ...      Sarah will call you

Whom the agent greets, and as whom it introduces itself, is no claim. It does not know which people
there are.
"""

from collections.abc import Iterator, Sequence

from voiced.call.grounding.claims import Claim, name
from voiced.call.grounding.english.tokens import END, Token

_TITLES = frozenset(
    """doctor dr doctors mister mr missus mrs ms mx professor prof nurse matron midwife sir dame
    surgeon pharmacist captain reverend father""".split()
)
_LEADS = frozenset({
    ("ask", "for"), ("speak", "to"), ("speak", "with"), ("talk", "to"), ("talk", "with"),
    ("spoke", "to"), ("spoke", "with"), ("speaking", "with"), ("appointment", "with"),
    ("meet", "with"), ("meeting", "with"), ("visit", "with"), ("seen", "by"), ("treated", "by"),
    ("named",), ("meet",), ("see",), ("seeing",), ("contact",), ("her", "name", "is"),
    ("his", "name", "is"), ("their", "name", "is"), ("doctor's", "name", "is"),
    ("nurse's", "name", "is"), ("with", "nurse"), ("connect", "you", "with"),
    ("connect", "you", "to"), ("transfer", "you", "to"), ("through", "to"),
})  # fmt: skip
_LONGEST_LEAD = max(len(lead) for lead in _LEADS)
_STAFF = frozenset(
    """nurse doctor surgeon therapist contact midwife consultant physician specialist coordinator
    manager dentist physiotherapist counselor counsellor anaesthetist anesthetist cardiologist
    radiologist pharmacist advisor adviser colleague""".split()
)
_BEHIND_STAFF = frozenset(", is was will be today called named".split())
_GREETINGS = frozenset("hello hi hey dear welcome morning afternoon evening".split())
_PLACES = frozenset(
    """hospital clinic road street avenue lane drive ward centre center department building wing
    insurance pharmacy reception emergency radiology cardiology billing admissions oncology
    pediatrics paediatrics surgery outpatients outpatient maternity information security customer
    support sales human resources entrance house bridge university institute school garage unit
    desk station team service services office medical health care county city state lobby room floor
    monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december""".split()
)
_NO_NAMES = frozenset(
    """i you he she it we they the a an this that these those here there who what when where why how
    yes no not and or but if so then in on at by for to from with your our my his her their its is
    are was will would can could please thank thanks okay someone somebody anyone nobody""".split()
)
_GIVEN = frozenset(
    """james john robert michael david william richard joseph thomas charles christopher daniel
    matthew anthony steven paul andrew joshua kenneth kevin brian george edward ronald timothy
    jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry justin scott brandon
    benjamin samuel gregory alexander patrick jack dennis jerry tyler aaron jose adam nathan
    henry douglas zachary peter kyle ethan walter noah jeremy keith roger terry sean gerald
    carl harold arthur lawrence dylan jesse bryan joe bruce gabriel albert alan juan carlos
    louis philip bobby johnny bradley tom mike dave steve jim bob ben sam dan matt tony nick
    chris alex tim greg mary patricia jennifer linda elizabeth barbara susan jessica sarah
    karen lisa nancy sandra ashley emily kimberly margaret donna michelle carol amanda melissa
    deborah stephanie rebecca sharon laura cynthia dorothy amy kathleen angela shirley emma
    brenda pamela nicole anna samantha katherine christine helen debra rachel carolyn janet
    maria catherine heather diane olivia julie joyce ruth lauren kelly christina joan evelyn
    judith andrea hannah megan cheryl jacqueline martha teresa sara janice ann anne kathryn
    sophia alice jane julia theresa beverly denise marilyn amber danielle brittany diana
    natalie kate katie claire lucy ella mia isabella ava oliver liam mohammed muhammad ahmed
    ali omar fatima priya raj wei ming hiroshi yuki""".split()
)


def names(tokens: Sequence[Token]) -> Iterator[Claim]:
    """Each part of each name by itself."""
    at = 0
    while at < len(tokens):
        begin = _begins(tokens, at)
        end = begin
        while begin is not None and end is not None and _namely(tokens, end):
            yield name(_bare(tokens[end]))
            end += 1
        at = max(at + 1, end or 0)


def _begins(tokens: Sequence[Token], at: int) -> int | None:
    """Where a name begins, if one does at or right behind this token."""
    token = tokens[at]
    if _greeted(tokens, at):
        return None
    if token.word in _TITLES and _namely(tokens, at + 1):
        return at + 1
    if token.word in _STAFF and _at(tokens, at - 1).word in ("your", "the", "our"):
        behind = at + 1
        while _at(tokens, behind).word in _BEHIND_STAFF:
            behind += 1
        return behind if _namely(tokens, behind) else None
    if _namely(tokens, at) and _led(tokens, at):
        return at
    given = _bare(token).casefold() in _GIVEN and token.capital
    holy = _at(tokens, at - 1).word in ("saint", "st")
    return at if given and not holy and not _place(tokens, at) else None


def _place(tokens: Sequence[Token], at: int) -> bool:
    """ "Robert Koch Institute"."""
    while _namely(tokens, at):
        at += 1
    return _at(tokens, at).capital and _at(tokens, at).word in _PLACES


def _greeted(tokens: Sequence[Token], at: int) -> bool:
    """Right behind a greeting, a comma and a title between them or not."""
    before = at - 1
    while _at(tokens, before).word in _TITLES or _at(tokens, before).word == ",":
        before -= 1
    return before >= 0 and tokens[before].word in _GREETINGS


def _led(tokens: Sequence[Token], at: int) -> bool:
    before = tuple(token.word for token in tokens[max(at - _LONGEST_LEAD, 0) : at])
    return any(before[cut:] in _LEADS for cut in range(len(before)))


def _namely(tokens: Sequence[Token], at: int) -> bool:
    """A word that may be part of a name."""
    token = _at(tokens, at)
    return token.capital and token.word not in _PLACES | _NO_NAMES | _TITLES


def _bare(token: Token) -> str:
    return token.text.removesuffix("'s")


def _at(tokens: Sequence[Token], at: int) -> Token:
    return tokens[at] if 0 <= at < len(tokens) else END
