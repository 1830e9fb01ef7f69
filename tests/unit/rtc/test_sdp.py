"""Offers that are checked and reduced, answers that are completed."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.errors import Refused
from voiced.rtc import sdp
from voiced.rtc.codec import OPUS, PCMU

pytestmark = pytest.mark.unit

SESSION = "v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"
TRANSPORT = (
    "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\n"
    "a=fingerprint:sha-256 AA:BB\r\na=setup:actpass\r\n"
)
CANDIDATE = "a=candidate:1 1 udp 2113937151 11111111-2222.local 51000 typ host\r\n"


def audio(mid: int = 0, extra: str = "", port: int = 9) -> str:
    return (
        f"m=audio {port} UDP/TLS/RTP/SAVPF 111 63 0\r\nc=IN IP4 0.0.0.0\r\na=mid:{mid}\r\n"
        "a=sendrecv\r\na=rtcp-mux\r\na=rtpmap:111 opus/48000/2\r\n"
        f"a=fmtp:111 minptime=10;useinbandfec=1\r\na=rtpmap:0 PCMU/8000\r\n{TRANSPORT}{extra}"
    )


def video(mid: int, port: int = 9) -> str:
    return (
        f"m=video {port} UDP/TLS/RTP/SAVPF 96 97\r\nc=IN IP4 0.0.0.0\r\na=mid:{mid}\r\n"
        f"a=rtpmap:96 AV1/90000\r\na=fmtp:96 profile=0\r\na=rtpmap:97 rtx/90000\r\n{TRANSPORT}"
    )


def data(mid: int) -> str:
    return (
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r\n"
        f"a=mid:{mid}\r\na=sctp-port:5000\r\na=max-message-size:262144\r\n{TRANSPORT}"
    )


def offer(*sections: str, bundle: str | None = None) -> str:
    mids = " ".join(str(index) for index in range(len(sections))) if bundle is None else bundle
    group = f"a=group:BUNDLE {mids}\r\n" if mids else ""
    return SESSION + group + "".join(sections)


def aiortcs_answer(checked: sdp.Offer) -> str:
    """What aiortc would write: the used sections, with addresses and a bundle group."""
    sections = []
    for index in checked.used:
        kind, mid = checked.sections[index].kind, checked.sections[index].mid
        body = "a=rtpmap:111 opus/48000/2\r\n" if kind == "audio" else "a=sctp-port:5000\r\n"
        sections.append(
            f"m={kind} 50000 X 111\r\na=mid:{mid}\r\n{body}"
            "a=candidate:1 1 udp 1 192.0.2.1 50000 typ host\r\na=ice-ufrag:OURS\r\n"
            "a=ice-pwd:PWD\r\na=fingerprint:sha-256 CC\r\na=setup:active\r\n"
        )
    return SESSION + "a=group:BUNDLE 0\r\n" + "".join(sections)


def refusal(text: str) -> tuple[int, str]:
    with pytest.raises(Refused) as caught:
        sdp.check(text)
    return caught.value.status, caught.value.kind


def test_candidates_are_taken_out_and_the_rest_stays_as_it_was() -> None:
    """The daemon learns the caller's address from the caller; it never calls out."""
    dirty = audio(extra=CANDIDATE + CANDIDATE + "a=end-of-candidates\r\n")

    assert offer(audio()).splitlines() == sorted_group(sdp.check(offer(dirty)).text)


def sorted_group(text: str) -> list[str]:
    """The group line back at the place that the offers of this file have it."""
    lines = text.splitlines()
    group = next(line for line in lines if line.startswith("a=group:"))
    lines.remove(group)
    lines.insert(4, group)
    return lines


@pytest.mark.parametrize(
    "line",
    [
        "a=candidate:1 1 udp 1 10.0.0.1 9 typ host",
        "a=candidate:1 1 tcp 1 evil.example.com 443 typ srflx",
        "a=end-of-candidates",
        "a=remote-candidates:1 10.0.0.1 9",
    ],
)
def test_no_kind_of_candidate_stays(line: str) -> None:
    assert line.split(":")[0] not in sdp.check(offer(audio(extra=line + "\r\n"))).text


def test_line_ends_of_one_byte_are_as_good_as_two() -> None:
    text = offer(audio(extra=CANDIDATE), data(1))

    assert sdp.check(text).text == sdp.check(text.replace("\r\n", "\n")).text


@pytest.mark.parametrize(
    "hidden", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029", "\x00", "\r"]
)
def test_no_candidate_hides_behind_another_kind_of_line_end(hidden: str) -> None:
    """aiortc splits lines at characters that are not line ends in SDP."""
    assert (400, "not-sdp") == refusal(offer(audio(extra=f"a=x:{hidden}{CANDIDATE}")))


@pytest.mark.parametrize("text", ["", "hello", "v=0", "v=0\r\n", "{}", "m=audio 9 X 111\r\n"])
def test_what_is_no_sdp_is_refused(text: str) -> None:
    assert (400, "not-sdp") == refusal(text)


def test_an_offer_larger_than_32_kb_is_refused() -> None:
    assert (413, "too-large") == refusal(offer(audio(extra="a=x:" + "y" * 32_768 + "\r\n")))


def test_more_than_six_sections_are_refused() -> None:
    assert (400, "too-many-sections") == refusal(offer(audio(), *map(video, range(1, 7))))


@pytest.mark.parametrize(
    "text",
    [
        offer(video(0)),
        offer(data(0)),
        offer(audio().replace("opus", "G722").replace("PCMU", "PCMA")),
        offer(audio(port=0)),
    ],
)
def test_without_audio_that_can_be_opus_there_is_no_call(text: str) -> None:
    assert (400, "no-audio") == refusal(text)


@pytest.mark.parametrize("missing", ["ice-ufrag", "ice-pwd", "fingerprint", "setup"])
def test_an_offer_without_a_transport_is_incomplete(missing: str) -> None:
    lines = [x for x in offer(audio()).splitlines() if not x.startswith(f"a={missing}")]

    assert (400, "incomplete") == refusal("\r\n".join(lines) + "\r\n")


def test_a_transport_in_the_sessions_part_counts() -> None:
    text = (SESSION + TRANSPORT + audio().replace(TRANSPORT, "")).replace("m=", "m=", 1)

    assert "a=ice-ufrag:abcd" in sdp.check(text).text


def test_one_attribute_repeated_too_often_is_refused() -> None:
    """aiortc looks these up one by one: a thousand of them would stop every call."""
    ssrcs = "".join(f"a=ssrc:{number} cname:x\r\n" for number in range(200))

    assert (400, "too-many-lines") == refusal(offer(audio(extra=ssrcs)))


def test_what_is_not_used_may_be_as_long_as_it_likes() -> None:
    """Chromium offers fifty video formats with feedback lines for each."""
    feedback = "".join(f"a=rtcp-fb:{n} nack\r\n" for n in range(300))

    assert (0,) == sdp.check(offer(audio(), video(1) + feedback)).used


def test_the_first_audio_and_the_first_data_channel_are_used() -> None:
    checked = sdp.check(offer(video(0), audio(1), audio(2), data(3), data(4)))

    assert (1, 3) == checked.used
    assert 2 == checked.text.count("m=")
    assert "a=group:BUNDLE 1 3\r\n" in checked.text


def test_a_data_channel_with_its_own_transport_is_not_used() -> None:
    assert (0,) == sdp.check(offer(audio(), data(1), bundle="")).used


def test_the_audio_leads_the_group_that_aiortc_sees() -> None:
    """It would close the transport of any other section that came first."""
    assert "a=group:BUNDLE 1 0\r\n" in sdp.check(offer(data(0), audio(1))).text


def test_every_section_of_the_offer_has_one_in_the_answer() -> None:
    checked = sdp.check(offer(audio(0), video(1), video(2), data(3), data(4)))
    text = sdp.answer(checked, aiortcs_answer(checked))

    kinds = [line.split()[0:2] for line in text.splitlines() if line.startswith("m=")]
    assert [
        ["m=audio", "50000"],
        ["m=video", "9"],
        ["m=video", "9"],
        ["m=application", "50000"],
        ["m=application", "0"],
    ] == kinds
    assert 3 == text.count("a=inactive")
    assert "a=group:BUNDLE 0 1 2 3\r\n" in text


def test_an_inactive_section_has_the_shared_transport_and_one_format() -> None:
    checked = sdp.check(offer(audio(0), video(1)))
    section = sdp.answer(checked, aiortcs_answer(checked)).split("m=video", 1)[1].splitlines()

    assert " 9 UDP/TLS/RTP/SAVPF 96" == section[0]
    assert {"a=mid:1", "a=rtpmap:96 AV1/90000", "a=fmtp:96 profile=0"} <= {*section}
    assert {"a=ice-ufrag:OURS", "a=candidate:1 1 udp 1 192.0.2.1 50000 typ host"} <= {*section}
    assert "a=rtpmap:97 rtx/90000" not in section


def test_a_section_that_the_caller_switched_off_stays_off() -> None:
    checked = sdp.check(offer(audio(0), video(1, port=0)))

    assert "m=video 0 " in sdp.answer(checked, aiortcs_answer(checked))


def test_the_answer_asks_for_fec_and_20_ms() -> None:
    checked = sdp.check(offer(audio()))
    lines = sdp.answer(checked, aiortcs_answer(checked)).splitlines()

    fmtp = "a=fmtp:111 minptime=10;useinbandfec=1;stereo=0;sprop-stereo=0;usedtx=0"
    assert lines.index("a=rtpmap:111 opus/48000/2") + 1 == lines.index(fmtp)
    assert "a=ptime:20" in lines


def test_a_caller_who_bundles_nothing_gets_no_group() -> None:
    checked = sdp.check(offer(audio(), bundle=""))

    assert "a=group" not in sdp.answer(checked, aiortcs_answer(checked))


LINES = st.sampled_from(
    [
        *offer(audio(extra=CANDIDATE), video(1), data(2)).splitlines(),
        "a=",
        "m=",
        "a=mid",
        "a=rtpmap:",
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(st.one_of(LINES, st.text(max_size=20)), max_size=60).map(
        lambda lines: "v=0\r\n" + "\r\n".join(lines)
    ),
)


@given(TEXTS)
@settings(max_examples=50, deadline=None)
def test_no_text_does_worse_than_be_refused(text: str) -> None:
    try:
        checked = sdp.check(text)
    except Refused:
        return

    assert "candidate" not in {line[2:].split(":")[0] for line in checked.text.splitlines()}
    sdp.answer(checked, aiortcs_answer(checked))


@pytest.mark.parametrize(
    "unit",
    [
        "a=ssrc:1 x:y\r\n",
        "a=rtcp-fb:* x\r\n",
        "m=audio 9 X 111\r\n",
        "a=group:BUNDLE 0 1\r\n",
        "a=rtpmap:1 opus/48000\r\n",
        "a=x:" + "y" * 200 + "\r\n",
        "a\r\n",
        "=" * 50,
        "a=fmtp:1 x=1;",
    ],
)
def test_the_largest_offers_take_no_time(unit: str) -> None:
    text = offer(audio()) + unit * ((sdp.LARGEST_BYTES - 900) // len(unit))
    began = time.process_time()

    with suppress(Refused):
        sdp.check(text)

    assert time.process_time() - began < 0.05


KEYS = "a=rtpmap:110 telephone-event/48000\r\na=rtpmap:126 telephone-event/8000\r\n"


def gateway(extra: str = "", formats: str = "0 8 101") -> str:
    """The audio section of a telephone gateway."""
    return (
        f"m=audio 9 UDP/TLS/RTP/SAVPF {formats}\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\n"
        f"a=sendrecv\r\na=rtcp-mux\r\n{TRANSPORT}{extra}"
    )


def test_opus_is_preferred_and_pcmu_is_taken_where_there_is_none() -> None:
    both, alone = sdp.check(offer(audio())), sdp.check(offer(gateway()))

    assert (OPUS, PCMU) == (both.codec, alone.codec)


def test_a_number_of_pcmu_that_means_another_codec_is_none() -> None:
    assert (400, "no-audio") == refusal(offer(gateway("a=rtpmap:0 PCMA/8000\r\n")))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        (audio(extra=KEYS).replace("111 63 0", "111 63 0 110 126"), 110),
        (audio(extra=KEYS).replace("111 63 0", "111 63 0 126"), None),
        (gateway("a=rtpmap:101 telephone-event/8000\r\n"), 101),
        (gateway(), None),
    ],
    ids=["a browser", "another clock than the sound's", "a gateway", "no keys"],
)
def test_keys_are_taken_that_count_with_the_clock_of_the_sound(text: str, keys: int | None) -> None:
    assert keys == sdp.check(offer(text)).keys


def test_the_answer_says_which_keys() -> None:
    checked = sdp.check(offer(gateway("a=rtpmap:101 telephone-event/8000\r\n")))
    theirs = aiortcs_answer(checked).replace(
        "a=rtpmap:111 opus/48000/2\r\n",
        "a=rtpmap:0 PCMU/8000\r\na=rtpmap:101 telephone-event/8000\r\n",
    )

    assert "a=fmtp:101 0-15" in sdp.answer(checked, theirs).splitlines()
