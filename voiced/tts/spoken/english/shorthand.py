"""What clinicians write short: b.i.d., q8h, PRN, NPO, A1C, ICU. In words, or letter by letter.

Shorthand that has two meanings on a ward ("OD", "ER", "HR") is spelled, never guessed. It does not
know doses; where "bid" could be the English word, only a dose before it makes it shorthand.
"""

import re

from voiced.tts.spoken.english.numbers import letters, number

_N = r"\d+(?:\.\d+)?"
_EVERY = re.compile(
    rf"\b[Qq]\.?[ ]?({_N})(?:[ ]?-[ ]?({_N}))?"
    r"\.?[ ]?(h|hr|hrs|hours?|H|min|d|days?|wk|weeks?|mo|months?)\b"
)
_SPANS = {"h": "hour", "m": "minute", "d": "day", "w": "week"}

_DOSED = (
    r"((?:\d|(?<![A-Za-z])(?:mg|mcg|µg|g|mL|ml|IU|units?|tablets?|tabs?|capsules?|caps?|puffs?|drops?"
    r"|mouth))[ ])"
)
"""What stands before "bid" and "po" where they are no English words."""

_PHRASES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (rf"{_DOSED}po\b", r"\1by mouth"),
        (r"\b[Bb]\.[Ii]\.[Dd]\b\.?|\bBID\b", "twice a day"),
        (rf"{_DOSED}bid\b", r"\1twice a day"),
        (r"\b[Tt]\.[Ii]\.[Dd]\b\.?|\bTID\b|\btid\b", "three times a day"),
        (r"\b[Qq]\.[Ii]\.[Dd]\b\.?|\bQID\b|\bqid\b", "four times a day"),
        (r"\b[Qq]\.?[Oo]\.[Dd]\b\.?|\bQOD\b|\bqod\b", "every other day"),
        (r"\b[Qq]\.[Dd]\.[Ss]\b\.?|\bQDS\b", "four times a day"),
        (r"\b[Tt]\.[Dd]\.[Ss]\b\.?|\bTDS\b", "three times a day"),
        (r"\b[Bb]\.[Dd]\b\.?", "twice a day"),
        (r"\b[Ss]\.[Ll]\.(?!\w)", "under the tongue"),
        (r"(?<!\w)c\u0304(?!\w)", "with"),
        (r"(?<!\w)s\u0304(?!\w)", "without"),
        (r"\bM/W/F\b", "Monday, Wednesday and Friday"),
        (r"(?<=[a-z] )x(?=\d{1,2}\b)", "times "),
        (r"(?<=\d)[ ]?Fr\b", " French"),
        (r"\b[Qq]\.[Dd]\b\.?|\bQD\b|\bqd\b|\bqday\b|\bqDay\b", "every day"),
        (r"\b[Qq]\.[Aa]\.?[Mm]\b\.?|\bq[ ]?[Aa][Mm]\b", "every morning"),
        (r"\b[Qq]\.[Pp]\.?[Mm]\b\.?|\bq[ ]?[Pp][Mm]\b", "every evening"),
        (r"\b[Qq]\.?[Hh]\.[Ss]\b\.?|\b[Qq][ ]?[Hh][Ss]\b", "every night at bedtime"),
        (r"\b[Qq][Ww][Kk]\b|\b[Qq]weekly\b", "every week"),
        (r"\b[Hh]\.[Ss]\.(?!\w)", "at bedtime"),
        (r"\b[Pp]\.[Rr]\.[Nn]\b\.?|\bPRN\b|\bprn\b", "as needed"),
        (r"\b[Pp]\.[Oo]\.[ ]Box\b|\bPO Box\b", "P O Box"),
        (r"\b[Nn]\.[Pp]\.[Oo]\b\.?|\bNPO\b", "nothing by mouth"),
        (r"\b[Pp]\.[Oo]\.(?!\w)|\bPO\b", "by mouth"),
        (r"\b[Aa]\.[Cc]\.(?!\w)", "before meals"),
        (r"\b[Pp]\.[Cc]\.(?!\w)", "after meals"),
        (r"\b[Ss]ub-?[Qq]\b\.?|\b[Ss]ubcut\b\.?|\bSQ\b|\bSubQ\b", "under the skin"),
        (r"\bNKDA\b", "no known drug allergies"),
        (r"\bNKA\b", "no known allergies"),
        (r"\bSOB\b", "shortness of breath"),
        (r"\bOTC\b", "over the counter"),
        (r"\bBP\b", "blood pressure"),
        (r"\bDOB\b|\bD\.O\.B\.", "date of birth"),
        (r"\bTPR\b", "temperature, pulse and respiration"),
        (r"\bHx\b", "history"),
        (r"\bDx\b", "diagnosis"),
        (r"\bRx\b", "prescription"),
        (r"\bTx\b", "treatment"),
        (r"\bSx\b", "symptoms"),
        (r"\b[Aa]ppt\b\.?", "appointment"),
        (r"\b[Aa]ppts\b\.?", "appointments"),
        (r"\b[Aa]pprox\b\.?", "approximately"),
        (r"\b[Dd]ept\b\.?", "department"),
        (r"\bhosp\b\.?", "hospital"),
        (r"\b[Tt]emp\.(?=[ ][a-z\d])", "temperature"),
        (r"\b[Mm]eds\b", "medicines"),
        (r"\b[Mm]ax\.", "maximum"),
        (r"\b[Mm]in\.(?=[ ]\d)", "minimum"),
        (r"\bincl\.", "including"),
        (r"\bexcl\.", "excluding"),
        (r"\betc\.?(?=$|\W)", "et cetera"),
        (r"\b[Ee]\.?g\.,?(?!\w)", "for example,"),
        (r"\b[Ii]\.?e\.,?(?!\w)", "that is,"),
        (r"\bvs\b\.?", "versus"),
        (r"\b[Ff]igs?\.[ ]?(?=\d)", "figure "),
        (r"\b[Pp]\.[ ]?(?=\d)", "page "),
        (r"\b[Pp]p\.[ ]?(?=\d)", "pages "),
        (r"\b[Pp]ts\b\.?", "patients"),
        (r"\b[Ww]/o\b", "without"),
        (r"\b[Ww]/(?:in|i)\b", "within"),
        (r"\b[Ww]/u\b", "workup"),
        (r"\b[Bb]/c\b", "because"),
        (r"(?<!/)\b[Ww]/(?=[ ]?[A-Za-z\d])[ ]?", "with "),
        (r"\b[Nn]/[Aa]\b", "not applicable"),
        (r"(?<=\d)[ -]?(?:y/o|yo|y\.o\.)(?!\w)", " year old"),
        (r"\b24/7\b", "twenty-four seven"),
        (r"\band[ ]?/[ ]?or\b", "and or"),
        (r"\bOR\b(?= (?:at|on|for) )", "O R"),
        (r"\bq\.s\.", "as much as needed"),
        (r"\bASAP\b", "as soon as possible"),
        (r"\bSpO2\b|\bSPO2\b", "S P O two"),
        (r"\bPaO2\b", "P A O two"),
        (
            r"(?<!\w)(?<!\d )[x×][ ]?(\d+(?:-\d+)?[ ]?(?:d|h|hrs?|wks?|mos?|mins?)\b)",
            r"for \1",
        ),
        (r"\b(for|x|in|after|next|past|last)[ ]?(\d+(?:-\d+)?)[ ]?d\b", r"\1 \2 days"),
        (r"\b[Vv]it\.?(?=[ ][A-EK]\d{0,2}\b)", "vitamin"),
        (r"(?<=\d)[ -]?[Gg](?= (?:needle|catheter|cannula|angiocath|butterfly)\b)", " gauge"),
        (r"(?<=\d)[ ]?[Kk]/(?:µL|uL|mcL)\b", " thousand per microliter"),
        (r"\b[Ff]l\.[ ]?oz\b", "fl oz"),
        (r"\bPlt\b", "platelets"),
        (r"\bRh\b", "R H"),
        (r"\bA1[Cc]\b", "A one C"),
        (r"\bHgb\b", "hemoglobin"),
        (r"\bFiO2\b", "F I O two"),
        (r"\bHct\b", "hematocrit"),
        (r"\bs/p\b", "status post"),
        (r"\bh/o\b", "history of"),
        (r"\bf/u\b", "follow up"),
        (r"\bOB/GYN\b", "O B G Y N"),
        (r"\b(\d{1,2})w[ ]?(\d)d\b", r"\1 weeks \2 days"),
        (r"(?<![\w/])20/(\d{2,3})(?= (?:O[DSU]|vision)\b)", r"20 \1"),
        (r"\br/o\b", "rule out"),
        (r"\b(he|she|his|him|her|hers)/(he|she|his|him|her|hers)\b", r"\1 or \2"),
        (r"\bvol\.(?=[ ]?\d)", "volume"),
        (r"\bca\.(?=[ ]\d)", "about"),
        (r"\b[Aa]\.[Mm]\b\.?", "a m"),
        (r"\b[Pp]\.[Mm]\b\.?", "p m"),
        (r"\b1[ ]?x(?=/| daily| a | per |$)", "once"),
        (r"(?<=\d)[ ]?x[ ]?/[ ]?(?:d|day)\b", " times per day"),
        (r"(?<=\d)[ ]?x[ ]?/[ ]?(?:wk|week)\b", " times per week"),
        (r"(?<=\d)[ ]?x[ ]?/[ ]?(?:mo|month)\b", " times per month"),
        (r"(?<=\d)[ ]?x(?=[ ](?:daily|weekly|nightly|monthly|a|per|every|in)\b)", " times"),
        (r"\bCO2\b", "C O two"),
        (r"\b[x×][ ]?(?=\d+[ ]?(?:days?|weeks?|months?|hours?|doses?|nights?)\b)", "for "),
        (r"(?<![\w)] )(?<!\w)[x×][ ]?(?=\d+\b)|(?<=[A-Z] )x[ ]?(?=\d+\b)", "times "),
        (r"\bH2O\b", "H two O"),
        (r"\bpH\b", "P H"),
        (r"\bHb[Aa]1[Cc]\b", "H B A one C"),
        (r"\bPh\.?D\b\.?", "P H D"),
        (r"\bM\.D\b\.?", "M D"),
        (r"\bU\.S\.A\b\.?", "U S A"),
        (r"\bU\.S\.(?!\w)", "U S"),
        (r"\bU\.K\.(?!\w)", "U K"),
        (r"\bI\.V\.(?!\w)", "I V"),
        (r"\bI\.M\.(?!\w)", "I M"),
    )
)

_SPELLED = frozenset(
    (
        "ICU CCU ED ER IV IM IO ECG EKG EEG EMG COPD CHF MRI CT BMI CPR AED DNR DNI UTI STI"
        " STD HIV HPV RSV TB DVT MI CAD CKD ESRD IBS IBD UC MS ALS PTSD ADHD OCD HR RR OD OS"
        " OU AC PC ID MRN SSN NPI RN LPN NP PA MD OT PT SLP GP ENT OB GYN NHS HMO PPO EOB TSH"
        " CBC CMP BUN AST ALT LDL HDL INR PTT PSA ESR CRP FSH LH HCG ABG VBG GFR GI GU CNS AMA"
        " LMP ARB SSRI PPI SC SL PR USB URL PDF FAQ TV UK EU USA FDA CDC AI API SMS PO MDI DPI"
        " TPN NG IVF IUD PCP PCR DKA EMS EMT UV LED QR GPS ATM FM AM PM EDT EST CST PST MST"
        " GMT UTC OTC ICD ABI ASA LVEF EF EDD RA FEV FU IVP FUO CI"
    ).split()
)
"""What has a vowel and is spelled all the same. "OR", "US" and "WHO" may be words: not here."""

_CAPITALS = re.compile(r"(?<![\w'])([A-Z]{2,6})(s)?(?![\w'])")
_ROMAN = re.compile(
    r"(\b(?:[Ss]tage|[Cc]lass|[Tt]ype|[Gg]rade|[Pp]hase|[Ll]evel|[Pp]art|[Cc]ategory|[Dd]egree)[ ])"
    r"(I{1,3}|IV|VI{0,3}|IX|X)(?=[ABab]?\b)"
)
_ROMANS = {
    "I": "one", "II": "two", "III": "three", "IV": "four", "V": "five", "VI": "six",
    "VII": "seven", "VIII": "eight", "IX": "nine", "X": "ten",
}  # fmt: skip


def read(text: str) -> str:
    """Shorthand in words."""
    text = _EVERY.sub(_every, text)
    text = _ROMAN.sub(lambda m: m.group(1) + _ROMANS[m.group(2)], text)
    for pattern, words in _PHRASES:
        text = pattern.sub(words, text)
    return text


def spelled(text: str) -> str:
    """Initials letter by letter: those on the list, and any that nobody could say as a word."""
    return _CAPITALS.sub(_initials, text)


def _every(match: re.Match[str]) -> str:
    low, high, sign = match.groups()
    span = "month" if sign.startswith("mo") else _SPANS[sign[0].lower()]
    if high:
        return f"every {number(low)} to {number(high)} {span}s"
    return f"every {span}" if low == "1" else f"every {number(low)} {span}s"


def _initials(match: re.Match[str]) -> str:
    word, many = match.group(1), match.group(2) or ""
    if word in _SPELLED or not set(word) & set("AEIOUY"):
        return letters(word) + ("s" if many else "")
    return match.group()
