"""What differs between languages when a sentence ends: abbreviations, ordinals, labels.

It does not know where a clause begins or ends; it holds tables. A language without a row of its
own gets the plain manners: marks only.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Manners:
    """Words are in lower case and without their last period."""

    opening: frozenset[str] = frozenset()
    """Abbreviations that something always follows: "Dr. Kim"."""
    closing: frozenset[str] = frozenset()
    """Abbreviations that may also end a sentence: "8 a.m. Then", "8 a.m. tomorrow"."""
    numbered: frozenset[str] = frozenset()
    """Abbreviations only when a number follows: "No. 5"; else ordinary words."""
    labels: frozenset[str] = frozenset()
    """A single letter after one of these is its label, not an initial: "vitamin C."."""
    continuing: frozenset[str] = frozenset()
    """Capitalised words that go on after a closing abbreviation: "8 a.m. Monday"."""
    whole: frozenset[str] = frozenset()
    """Short words that are a sentence by themselves: "Yes."."""
    ordinal_period: bool = False
    """A period after digits makes an ordinal: "am 3. Mai"."""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_ENGLISH = Manners(
    opening=_set(
        "dr drs mr mrs ms mx prof st mt ft capt col gen lt sgt maj rev hon pres gov sen rep fr sr"
        " e.g eg i.e ie vs v cf viz al approx incl excl esp temp max min avg est ca c.f"
        " jan feb mar apr jun jul aug sep sept oct nov dec s.o appt tel"
        " mon tue tues wed thu thur thurs fri"
    )
    - {"al", "sr", "est", "max", "min"},
    closing=_set(
        "a.m p.m am pm etc inc ltd co corp jr sr bros ph.d m.d d.o u.s u.k u.s.a al est max min"
        " b.i.d t.i.d q.i.d q.d q.o.d p.o p.r.n h.s a.c p.c i.v i.m s.c stat"
        " ave blvd rd ln ct dept hosp mg mcg ml kg cm mm hr hrs mins sec secs wk wks mo mos yr yrs"
        " tab tabs cap caps tbsp tsp oz lb lbs gtt gtts amp amps inj supp deg"
    )
    - {"am", "co"},
    numbered=_set("no nos nr fig figs vol p pp ch sec ext art rm apt ste par eq pt pts"),
    labels=_set(
        "vitamin hepatitis plan room type ward bed wing floor unit option group class grade"
        " influenza part section building gate line table appendix form step level answer letter"
    ),
    whole=_set("yes no ok okay sure good fine right well hi hello sorry great oh now then it so"),
    continuing=_set(
        "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun"
        " january february march april may june july august september october november december"
        " est edt cst cdt mst mdt pst pdt et ct mt pt gmt utc bst cet"
    ),
)

_GERMAN = Manners(
    opening=_set(
        "dr prof hr fr hrn dipl ing st z.b bzw ca vgl ggf evtl inkl exkl tel str bspw max"
    ),
    closing=_set("usw etc u.a o.ä u.ä d.h min std tgl tabl mg ml"),
    numbered=_set("nr abs art s bd kap"),
    ordinal_period=True,
)
_FRENCH = Manners(
    opening=_set("dr m mm mme mlle mlles pr me st ste p.ex env tél av bd cf max min"),
    closing=_set("etc"),
    numbered=_set("no n art p chap vol"),
)
_SPANISH = Manners(
    opening=_set("dr dra sr sra srta d dña prof p.ej aprox tel av avda c máx mín ud uds"),
    closing=_set("etc a.m p.m ee.uu"),
    numbered=_set("no núm art pág p vol"),
)
_ITALIAN = Manners(
    opening=_set("dott dr sig sigg prof avv ing sra sig.ra dott.ssa p.es ca tel max min"),
    closing=_set("ecc"),
    numbered=_set("n nr art pag vol"),
)
_PORTUGUESE = Manners(
    opening=_set("dr dra sr sra srta prof profa p.ex aprox tel av máx mín"),
    closing=_set("etc"),
    numbered=_set("no n núm art pág p vol"),
)
_DUTCH = Manners(
    opening=_set("dr drs prof mevr mw dhr ir bijv bv ca tel max min incl excl"),
    closing=_set("enz etc"),
    numbered=_set("nr art blz p"),
)
_MIXED = Manners(
    opening=_set("dr mr mrs ms prof st vs e.g i.e"),
    closing=_set("a.m p.m etc"),
    numbered=_set("no nos"),
)
"""For languages with their own script: what of English stands in their text."""

_MANNERS = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "it": _ITALIAN,
    "pt": _PORTUGUESE,
    "nl": _DUTCH,
    "da": Manners(opening=_set("dr hr fr ca f.eks bl.a"), ordinal_period=True),
    "nb": Manners(opening=_set("dr hr fr ca f.eks bl.a"), ordinal_period=True),
    "fi": Manners(opening=_set("tri esim"), ordinal_period=True),
    "cs": Manners(opening=_set("dr mudr p např cca"), ordinal_period=True),
    "pl": Manners(opening=_set("dr prof p np ok tel ul"), ordinal_period=True),
    "ko": _MIXED,
    "ja": _MIXED,
    "zh": _MIXED,
}


def manners_of(language: str) -> Manners:
    """The manners of a language tag, "en" or "en-US"."""
    return _MANNERS.get(language.partition("-")[0].lower(), _MIXED)
