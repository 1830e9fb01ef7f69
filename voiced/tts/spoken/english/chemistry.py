"""Names that end in a figure, and salts: "CD4 350" is two numbers, "K+" is potassium.

    CD4 350     C D four, three hundred fifty  a pause behind a name that ends in a figure
    Na+ 140     sodium one hundred forty
    NaCl        sodium chloride

MSO4 and MS have two meanings on a ward and are left to be spelled. It does not know units' names.
"""

import re

from voiced.tts.spoken.english.units import UNIT

_N = r"\d[\d,]*(?:\.\d+)?"
_MEASURED = r"CD4|CD8|B6|B9|B12|D2|D3|K2|T3|T4|C3|C4|SpO2|SPO2|PaO2|FiO2|FEV1|O2|CO2|PCO2|PaCO2"
_NAMED = re.compile(
    rf"\b((?:{_MEASURED})|[A-Z][A-Za-z]{{0,4}}\d{{1,3}})[ ](?={_N}(?:[ ]?-[ ]?{_N})?[ ]?{UNIT})"
    rf"|\b({_MEASURED})[ ](?=\d)"
)
_IONS = {"Na": "sodium", "K": "potassium", "Ca": "calcium", "Mg": "magnesium", "Li": "lithium"}
_ION = re.compile(rf"\b({'|'.join(_IONS)})(?:2\+|\+{{1,2}})(?!\w)")
_SALTS = {
    "NaCl": "sodium chloride",
    "KCl": "potassium chloride",
    "CaCl2": "calcium chloride",
    "MgSO4": "magnesium sulfate",
    "NaHCO3": "sodium bicarbonate",
    "FeSO4": "iron sulfate",
    "CaCO3": "calcium carbonate",
}
_SALT = re.compile(rf"\b({'|'.join(_SALTS)})\b")


def read(text: str) -> str:
    """Salts in words, and a pause behind a name's figure."""
    text = _SALT.sub(lambda m: _SALTS[m.group()], text)
    text = _ION.sub(lambda m: _IONS[m.group(1)], text)
    return _NAMED.sub(lambda m: f"{m.group(1) or m.group(2)}, ", text)
