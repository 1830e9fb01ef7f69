"""The far end of `voiced bench call`: whom it answers, and what its engines take."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from voiced.audio.pcm import HEARING_HZ
from voiced.bench import call_lines
from voiced.bench.call_far import REPLY, WORDS, Loudness, Stopwatch, adjusted, tone
from voiced.config.settings import Fleet, Http, Llm, Settings
from voiced.flow.cancel import Live, Ticket
from voiced.stt.model import Utterance
from voiced.testing.virtualtime import run
from voiced.turn.endpoint import promises_more
from voiced.words import Words

pytestmark = pytest.mark.unit


def test_a_site_s_daemon_is_called_on_the_loopback_alone() -> None:
    site = Settings(
        http=Http(host="10.0.0.1", port=443),
        fleet=Fleet(sisters=("https://other.example",)),
        llm=Llm(slots=4),
    )
    site = replace(site, rtc=replace(site.rtc, host="10.0.0.1", public_host="203.0.113.1"))

    found = adjusted(site, 16)

    assert ("127.0.0.1", 0) == (found.http.host, found.http.port)
    assert ("127.0.0.1", None) == (found.rtc.host, found.rtc.public_host)
    assert () == found.fleet.sisters
    assert (16, 16) == (found.calls.max, found.llm.slots)


def test_few_calls_do_not_take_slots_from_the_model() -> None:
    assert 4 == adjusted(Settings(llm=Llm(slots=4)), 1).llm.slots


def read(seconds: float) -> str:
    live = Live()
    utterance = Utterance(np.zeros(HEARING_HZ, np.int16), "en", (), seconds)

    async def main() -> str:
        heard = await Stopwatch().transcribe(utterance, Ticket("c", live.take, live))
        return heard.text.reveal()

    return run(main())


def test_a_caller_s_lines_are_told_by_their_length() -> None:
    lines = call_lines.tones()
    seconds = [len(pcm) / HEARING_HZ for pcm in (lines.murmur, *lines.stops, *lines.questions)]

    assert ["mm hmm", "Stop, wait.", "Where can I park my car?"] == [read(s) for s in seconds]


def test_people_speak_over_a_reply_no_longer_than_it_takes_to_cut_it(tmp_path: Path) -> None:
    for seconds in (0.5, 4.0):
        pcm = np.pad(tone(220.0, seconds, HEARING_HZ), HEARING_HZ // 2)
        soundfile.write(tmp_path / f"{seconds}.wav", pcm, HEARING_HZ)
    said = call_lines.tones()

    over = call_lines.talked_over(said, [tmp_path / "0.5.wav", tmp_path / "4.0.wav"])
    voiced_s = [np.count_nonzero(np.abs(stop) > 100) / HEARING_HZ for stop in over.stops]

    assert [0.5, 1.5] == pytest.approx(voiced_s, abs=0.1)
    assert (said.questions, said.pitches_hz) == (over.questions, over.pitches_hz)


def test_the_first_half_of_an_unfinished_question_promises_more() -> None:
    pcm = call_lines.tones().unfinished
    half_s = (len(pcm) / HEARING_HZ - call_lines.PAUSE_S) / 2

    assert promises_more(Words(read(half_s)))
    assert "Where can I park my car?" == read(2 * half_s)


def test_a_tone_is_speech_and_a_hiss_beside_it_is_not() -> None:
    [question] = call_lines.noisy(call_lines.tones(), 20).questions
    hiss = question - tone(220.0, 1.4, HEARING_HZ)

    windows = [one[8000:8512] for one in (question, hiss)]
    assert [1.0, 0.0] == Loudness().judge(windows, [])


def test_each_word_of_the_reply_has_a_pitch_of_its_own() -> None:
    pitches = call_lines.tones().pitches_hz

    assert len(REPLY.split()) == len(WORDS) == len(set(WORDS)) == len(pitches)
    assert 100 <= min(np.diff(pitches))
