"""Checks an offer before aiortc sees it, and completes the answer that aiortc writes. Pure text.

    offer   audio  video  video  application        what the caller's program proposes
    used    audio                application        what aiortc gets, without a single candidate
    answer  audio  -      -      application        `-`: inactive, so that every m-line has its own

Candidates are taken out because the daemon never calls out: it has an address, and learns the
caller's from the caller's own checks. So no offer can make it probe or look up a third party.

It does not know sockets, aiortc or what is said in a call.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from voiced.errors import Refused
from voiced.rtc.codec import OPUS, PCMU, Codec

LARGEST_BYTES = 32_768
_MOST_SECTIONS = 6
_MOST_OF_ONE_KIND = 128
"""Lines of the same attribute in one section; aiortc looks some of them up one by one."""

_MEDIA = re.compile(r"m=([a-z]{1,16}) ([0-9]{1,5}) ([A-Z/]{1,40}) ([\x21-\x7e ]+)")
_OPUS = re.compile(r"a=rtpmap:([0-9]{1,3}) opus/48000(?:/[12])?", re.IGNORECASE)
_PCMU = re.compile(r"a=rtpmap:([0-9]{1,3}) PCMU/8000(?:/1)?", re.IGNORECASE)
_KEYS = re.compile(r"a=rtpmap:([0-9]{1,3}) telephone-event/(8000|48000)", re.IGNORECASE)
_STATIC_PCMU = "0"
"""Its number needs no rtpmap (RFC 3551)."""

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\u2028\u2029]")
_FMTP = "minptime=10;useinbandfec=1;stereo=0;sprop-stereo=0;usedtx=0"
_CANDIDATES = ("candidate", "end-of-candidates")
_TRANSPORT = (*_CANDIDATES, "ice-ufrag", "ice-pwd", "ice-options", "fingerprint", "setup")
"""What the sections of a bundle share. A browser reads it in the group's first section, used or
not, and there alone."""

_REQUIRED = ("ice-ufrag", "ice-pwd", "fingerprint", "setup")


@dataclass(frozen=True, slots=True)
class Section:
    """One m-line and what belongs to it. Lines are without their ends."""

    kind: str
    port: int
    profile: str
    formats: tuple[str, ...]
    lines: tuple[str, ...]
    mid: str

    @property
    def opus(self) -> bool:
        """Whether it is audio that can be Opus."""
        return self.kind == "audio" and self._has(_OPUS)

    @property
    def pcmu(self) -> bool:
        """Whether it is audio that can be G.711 µ-law."""
        named = any(line.startswith("a=rtpmap:0 ") for line in self.lines)
        plain = _STATIC_PCMU in self.formats and not named
        return self.kind == "audio" and (plain or self._has(_PCMU))

    @property
    def keys(self) -> dict[int, int]:
        """Payload types of telephone events, by the clock that they count with."""
        found = [one for one in map(_KEYS.fullmatch, self.lines) if one and one[1] in self.formats]
        return {int(one[2]): int(one[1]) for one in found}

    def _has(self, codec: "re.Pattern[str]") -> bool:
        found = map(codec.fullmatch, self.lines)
        return any(one[1] in self.formats for one in found if one)

    @property
    def refused(self) -> bool:
        """Whether the caller's program itself has switched it off."""
        return self.port == 0 and "a=bundle-only" not in self.lines


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer that can be answered."""

    text: str
    """What aiortc gets: the session's lines and those of the used sections."""
    sections: tuple[Section, ...]
    """Every section of the offer."""
    used: tuple[int, ...]
    """Indices of those that are used, in order."""
    bundle: tuple[str, ...]
    """Mids that share one transport, in order; empty where the caller bundles nothing."""
    codec: Codec
    """What the sound is coded with."""
    keys: int | None
    """Payload type of telephone events that count with the codec's clock."""


def check(offer: str) -> Offer:
    """An offer as a caller sent it. Raises Refused, and nothing else, in time linear in its size.

    Of the lines that aiortc gets, only candidates and the bundle group are not as they were sent.
    """
    if len(offer) > LARGEST_BYTES or len(offer.encode(errors="replace")) > LARGEST_BYTES:
        raise Refused(413, "too-large", f"an offer has at most {LARGEST_BYTES} bytes")
    session, groups = _split(offer)
    if len(groups) > _MOST_SECTIONS:
        raise Refused(400, "too-many-sections", f"an offer has at most {_MOST_SECTIONS} m-lines")
    sections = tuple(_section(lines) for lines in groups)
    bundle = _bundle(session)
    used = _used(sections, bundle)
    for lines in (session, *(sections[index].lines for index in used)):
        _bounded(lines)
    for index in used:
        _complete(sections[index], session)
    audio = next(sections[index] for index in used if sections[index].kind == "audio")
    codec = OPUS if audio.opus else PCMU
    text = _reduced(session, sections, used, bundle)
    return Offer(text, sections, used, bundle, codec, audio.keys.get(codec.rtp_hz))


def answer(offer: Offer, text: str) -> str:
    """aiortc's answer to the reduced offer, made the answer to the whole one."""
    session, groups = _split(text)
    ours = dict(zip(offer.used, groups, strict=True))
    transport = _transport(groups[0])
    out = [line for line in session if not line.startswith("a=group:")]
    bundled: list[str] = []
    sections: list[str] = []
    for index, section in enumerate(offer.sections):
        if index in ours:
            lines = _completed(ours[index]) if section.kind == "audio" else ours[index]
            accepted = True
        else:
            accepted = _carried(section, offer.bundle)
            lines = _inactive(section, transport if accepted else [])
        sections += lines
        if accepted and section.mid in offer.bundle:
            bundled.append(section.mid)
    if bundled:
        out.append("a=group:BUNDLE " + " ".join(m for m in offer.bundle if m in bundled))
    return "\r\n".join(out + sections) + "\r\n"


def _split(text: str) -> tuple[list[str], list[list[str]]]:
    """The session's lines, and those of each section."""
    if _CONTROL.search(text):
        raise _not_sdp()
    lines = [line for line in text.replace("\r\n", "\n").split("\n") if line]
    if not lines or lines[0] != "v=0" or any(line[1:2] != "=" or "\r" in line for line in lines):
        raise _not_sdp()
    session: list[str] = []
    groups: list[list[str]] = []
    for line in lines:
        if line.startswith("m="):
            groups.append([line])
        else:
            (groups[-1] if groups else session).append(line)
    if not groups:
        raise _not_sdp()
    return session, groups


def _section(lines: list[str]) -> Section:
    found = _MEDIA.fullmatch(lines[0])
    if found is None:
        raise _not_sdp()
    kind, port, profile, formats = found.groups()
    mids = [line[6:] for line in lines if line.startswith("a=mid:")]
    mid = mids[0] if mids else ""
    return Section(kind, int(port), profile, tuple(formats.split()), tuple(lines), mid)


def _bundle(session: list[str]) -> tuple[str, ...]:
    for line in session:
        if line.startswith("a=group:BUNDLE "):
            return tuple(line.split()[1:])
    return ()


def _used(sections: tuple[Section, ...], bundle: tuple[str, ...]) -> tuple[int, ...]:
    """The first audio section, and the first data channel that shares its transport.

    One with Opus comes before one with PCMU alone.
    """
    open_ = [(i, s) for i, s in enumerate(sections) if not s.refused]
    spoken = [i for i, s in open_ if s.opus] or [i for i, s in open_ if s.pcmu]
    audio = next(iter(spoken), None)
    if audio is None:
        raise Refused(400, "no-audio", "the offer has no audio section with Opus or PCMU")
    data = next(
        (
            i
            for i, s in enumerate(sections)
            if s.kind == "application"
            and not s.refused
            and {s.mid, sections[audio].mid} <= {*bundle}
        ),
        None,
    )
    return (audio,) if data is None else tuple(sorted((audio, data)))


def _bounded(lines: Iterable[str]) -> None:
    kinds = Counter(re.split("[: =]", line[2:], maxsplit=1)[0] for line in lines)
    if max(kinds.values(), default=0) > _MOST_OF_ONE_KIND:
        raise Refused(400, "too-many-lines", "the offer repeats one attribute too often")


def _complete(section: Section, session: list[str]) -> None:
    names = {name for line in (*session, *section.lines) if (name := _name(line))}
    needed = (*_REQUIRED, "sctp-port") if section.kind == "application" else _REQUIRED
    for name in needed:
        if name not in names:
            raise Refused(400, "incomplete", f"the offer's {section.kind} has no a={name}")


def _reduced(
    session: list[str],
    sections: tuple[Section, ...],
    used: tuple[int, ...],
    bundle: tuple[str, ...],
) -> str:
    out = [line for line in session if not line.startswith("a=group:")]
    # aiortc keeps the transport of the group's first mid, which has to be the audio's
    mids = [sections[i].mid for i in sorted(used, key=lambda i: sections[i].kind != "audio")]
    if {*mids} <= {*bundle}:
        out.append("a=group:BUNDLE " + " ".join(mids))
    for index in used:
        out += [line for line in sections[index].lines if not _candidate(line)]
    return "\r\n".join(out) + "\r\n"


def _candidate(line: str) -> bool:
    return _name(line) in (*_CANDIDATES, "remote-candidates")


def _name(line: str) -> str:
    """An attribute's name; empty for other lines."""
    return line[2:].partition(":")[0] if line.startswith("a=") else ""


def _transport(lines: list[str]) -> list[str]:
    return [line for line in lines if _name(line) in _TRANSPORT]


def _completed(lines: list[str]) -> list[str]:
    """aiortc names no Opus parameters; without them Chromium sends no FEC."""
    out: list[str] = []
    for line in lines:
        out.append(line)
        if (found := _OPUS.fullmatch(line)) is not None:
            out.append(f"a=fmtp:{found[1]} {_FMTP}")
        elif (found := _KEYS.fullmatch(line)) is not None:
            out.append(f"a=fmtp:{found[1]} 0-15")
    return [*out, "a=ptime:20"]


def _carried(section: Section, bundle: tuple[str, ...]) -> bool:
    """Whether an unused section can be kept open as inactive on the shared transport."""
    return section.kind in ("audio", "video") and not section.refused and section.mid in bundle


def _inactive(section: Section, transport: list[str]) -> list[str]:
    """The answer to a section that is not used: inactive, or refused where it has no transport."""
    first = section.formats[0]
    port = 9 if transport else 0
    lines = [f"m={section.kind} {port} {section.profile} {first}", "c=IN IP4 0.0.0.0", "a=inactive"]
    if section.mid:
        lines.append(f"a=mid:{section.mid}")
    if transport:
        lines.append("a=rtcp-mux")
        starts = (f"a=rtpmap:{first} ", f"a=fmtp:{first} ")
        lines += [line for line in section.lines if line.startswith(starts)]
    return lines + transport


def _not_sdp() -> Refused:
    return Refused(400, "not-sdp", "the body is not an SDP offer")
