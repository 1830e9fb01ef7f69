"""Markup becomes the text that a reader would see; what sets lines apart becomes a pause.

It knows clauses, so markup may be open at either end: a lone "**" is dropped all the same. It does
not know languages.
"""

import re

_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[\w+#-]*[ \t]*$", re.MULTILINE)
_RULE = re.compile(
    r"^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$", re.MULTILINE
)
_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_QUOTE = re.compile(
    r"^[ \t]*(?:>[ \t]+(?!=?[ \t]*[-+$€£~]?[\d.$€£])|>(?=[A-Za-z*_#>]|-[ ]))+", re.MULTILINE
)
_BULLET = re.compile(r"^[ \t]*(?:[-*+–•‣◦▪●○·][ \t]+)+(?:\[[ xX]\][ \t]+)?", re.MULTILINE)
_IMAGE_OR_LINK = re.compile(
    r"!?\[([^\[\]]{0,400})\](?:\([^()\s]{0,2000}(?:\s+\"[^\"]{0,200}\")?\)|\[[^\[\]]{0,80}\])"
)
_OPEN_LINK = re.compile(r"\]\((?:https?:|mailto:|tel:|/|#)[^\s)]{0,2000}\)?")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]{1,40}\]:?")
_AUTOLINK = re.compile(r"<((?:https?://|mailto:|tel:)[^<>\s]{1,2000})>")
_BREAK = re.compile(r"<(?:br|hr|/p|/li|/tr|/h[1-6])[ \t]*/?>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|i|u|s|em|strong|mark|small|sub|sup|code|pre|kbd|p|div|span|ul|ol|li|table|thead"
    r"|tbody|tr|t[dh]|h[1-6]|blockquote|details|summary|font|img)(?:\s[^<>]{0,300})?/?>",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!|>~-])")
_STRONG = re.compile(r"\*{2,}|~~|__|`+")
_POWER = re.compile(r"(?<=\d)\*\*(?=\d)|(?<=\d) \*\* (?=\d)")
_TIMES = re.compile(r"(?<=[\d)])([ ]?)\*\1(?=[\d(])|(?<=\b[A-Za-z\d]) \* (?=[A-Za-z\d]\b)")
_STAR = re.compile(r"\*+")
_UNDERSCORE = re.compile(r"(?<!\w)_+|_+(?!\w)")

_PAUSES = ".,;:!?…。、，；：！？"
_CLOSING = "\"'”’)]}»」』） \t"


def plain(clause: str) -> str:
    """The text without its markup. The end of a line that has no mark becomes a full stop."""
    text = _ESCAPE.sub(_keep_literal, clause)
    text = _AUTOLINK.sub(r"\1", _BREAK.sub("\n", text))
    text = _FOOTNOTE.sub("", _OPEN_LINK.sub("", _IMAGE_OR_LINK.sub(r"\1", text)))
    text = _RULE.sub("", _FENCE.sub("", _TAG.sub("", text)))
    text = _BULLET.sub("", _QUOTE.sub("", text))
    text = _inline(_HEADING.sub("", text))
    return _lines(text)


def _keep_literal(match: re.Match[str]) -> str:
    """An escaped sign that would be markup is decoration to the ear as well."""
    sign = match.group(1)
    return sign if sign in ".()[]!+->" else " "


def _inline(text: str) -> str:
    text = _POWER.sub("^", text)
    text = _TIMES.sub(" × ", _STRONG.sub("", text))
    return _UNDERSCORE.sub("", _STAR.sub("", text))


def _lines(text: str) -> str:
    """Lines in a row, each with the pause that its end stands for."""
    lines = text.split("\n")
    spoken = [_row(line) for line in lines[:-1]]
    ended = [
        line if line.rstrip(_CLOSING)[-1:] in _PAUSES else line + "." for line in spoken if line
    ]
    return " ".join([*ended, _row(lines[-1])]).strip()


def _row(line: str) -> str:
    """A row of a table is its cells with short pauses; any other line is itself."""
    line = line.strip()
    if not any(char.isalnum() for char in line):
        return ""
    if "|" not in line:
        return line
    return ", ".join(filter(None, (cell.strip() for cell in line.split("|"))))
