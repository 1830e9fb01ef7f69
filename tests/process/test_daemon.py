"""The daemon from outside: real WebRTC, real models, real signals."""

import asyncio
import concurrent.futures
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced import clock
from voiced.audio.levels import AUDIBLE_DB
from voiced.testing.caller import Caller, Event

pytestmark = [pytest.mark.process, pytest.mark.timeout(240)]

DATA = ROOT / "tests/data"
ASKED = {
    "question_visiting_hours.wav": "When can I visit my father today?",
    "question_parking.wav": "Where can I park my car?",
    "question_pharmacy.wav": "How do I get to the pharmacy?",
}
ANSWERED = {
    "question_visiting_hours.wav": {"ten", "eight", "evening"},
    "question_parking.wav": {"garage", "mill", "road"},
    "question_pharmacy.wav": {"ground", "floor"},
}
QUESTIONS = [DATA / name for name in ASKED]


def _done(event: Event) -> bool:
    return event.body["type"] == "response.output_audio_transcript.done"


@pytest.fixture(scope="module")
def daemon(serve: Serve) -> Daemon:
    daemon = serve()
    daemon.wait_for("daemon.ready")
    return daemon


def call(daemon: Daemon, *audio: Path, more: tuple[str, ...] = ()) -> dict[str, Any]:
    """One call by the program itself."""
    command = [sys.executable, "-m", "voiced", "call", daemon.calls_url, "--json", *more]
    for path in audio:
        command += ["--audio", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def read(recording: Path) -> list[str]:
    """What the ears of the program make of a recording, a text for each turn."""
    command = [sys.executable, "-m", "voiced", "transcribe", str(recording), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert 0 == done.returncode, done.stderr
    return [turn["text"] for turn in json.loads(done.stdout)["turns"]]


def words(text: str) -> set[str]:
    return set(re.findall(r"[a-z']+", text.lower()))


def spoken(path: Path) -> set[str]:
    """The words of a question."""
    return words(ASKED[path.name])


def test_a_caller_is_heard_thought_about_and_answered(daemon: Daemon, tmp_path: Path) -> None:
    heard = tmp_path / "reply.wav"
    report = call(daemon, QUESTIONS[0], more=("--record", str(heard)))

    turn = report["turns"][0]
    assert spoken(QUESTIONS[0]) <= words(turn["heard"])
    assert len(words(turn["reply"])) > 1
    assert 200 < turn["voice_to_voice_ms"] < 20_000
    assert not turn["early"]
    assert {"endpoint_delay", "stt", "llm_first_clause", "tts_ttfb", "playout"} <= set(turn["legs"])
    reply = words(turn["reply"])
    assert len(reply & words(" ".join(read(heard)))) >= len(reply) / 2


def test_three_callers_at_once_each_get_their_own_answer(daemon: Daemon) -> None:
    """Nobody hears another's question, nor another's answer.

    A word may be misheard: "park" is close to "part" in a voice that is made.
    """
    with concurrent.futures.ThreadPoolExecutor(3) as callers:
        reports = list(callers.map(lambda path: call(daemon, path), QUESTIONS[:3]))

    for path, report in zip(QUESTIONS, reports, strict=False):
        turn = report["turns"][0]
        assert 1 >= len(spoken(path) - words(turn["heard"]))
        assert ANSWERED[path.name] <= words(turn["reply"])


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"rubbish", "application/sdp", 400),
        (b"v=0\r\n" * 250_000, "application/sdp", 413),
        (b"\xff\xfe\x00", "application/sdp", 400),
        (b"{}", "application/json", 415),
    ],
    ids=["rubbish", "a megabyte", "not text", "not sdp"],
)
def test_a_bad_offer_gets_a_clear_answer_and_hurts_nobody(
    daemon: Daemon, body: bytes, kind: str, status: int
) -> None:
    request = urllib.request.Request(
        daemon.calls_url, data=body, headers={"Content-Type": kind}, method="POST"
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=10)

    problem = json.loads(refused.value.read())
    assert (status, status) == (refused.value.code, problem["status"])
    assert "Traceback" not in json.dumps(problem)
    assert 200 == daemon.get("/readyz")[0]


def test_a_wrong_token_is_refused_and_the_right_one_is_not(serve: Serve, tmp_path: Path) -> None:
    secret = tmp_path / "token"
    secret.write_text("a-token-of-enough-length\n")
    guarded = serve(settings().replace("[http]", f'[http]\ntoken_file = "{secret}"'))

    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(
            urllib.request.Request(guarded.calls_url, data=b"v=0", method="POST"), timeout=10
        )
    report = call(guarded, QUESTIONS[0], more=("--token", "a-token-of-enough-length"))
    assert report["turns"][0]["heard"]
    assert 0 == guarded.stop()


def test_a_caller_that_vanishes_does_not_hold_its_line(serve: Serve) -> None:
    """A process that is killed says nothing: the daemon notices, and waits no longer than told."""
    patience = settings("resume_ms = 1000").replace("[rtc]", "[rtc]\nsilent_deadline_ms = 3000")
    daemon = serve(patience)
    command = [sys.executable, "-m", "voiced", "call", daemon.calls_url]
    command += ["--audio", str(QUESTIONS[0])]
    caller = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    daemon.wait_for("call.opened")
    asyncio.run(asyncio.sleep(1.0))
    caller.kill()
    caller.wait()

    closed = daemon.wait_for("call.closed", 20)
    assert "lost" == closed["reason"]
    assert 0 == daemon.stop()


def test_a_stop_in_the_middle_of_a_reply_ends_the_call_and_leaves_nothing(serve: Serve) -> None:
    """The caller hears the goodbye; the daemon exits 0; nothing of it is left."""
    daemon = serve(settings("drain_ms = 0"))
    segments = set(os.listdir("/dev/shm"))

    async def talk() -> tuple[list[str], float]:
        caller = Caller(daemon.calls_url)
        await caller.open()
        await caller.until_quiet(600)
        said = await caller.say(QUESTIONS[0])
        assert await caller.until_onset(said.last_voiced_at, 20)
        daemon.process.send_signal(signal.SIGTERM)
        stopped_at = clock.now()
        await asyncio.to_thread(daemon.wait, 20)
        await caller.close()
        heard_s = float((caller.ear.between(stopped_at, float("inf")).db > AUDIBLE_DB).sum()) / 100
        return [str(event.body["transcript"]) for event in caller.events if _done(event)], heard_s

    replies, heard_s = asyncio.run(talk())
    assert 0 == daemon.process.returncode
    assert "goodbye" in replies[-1].lower()
    assert heard_s > 0.5
    assert "left" == daemon.wait_for("call.closed")["reason"]
    assert daemon.wait_for("daemon.stopped")
    assert segments == set(os.listdir("/dev/shm"))
    assert [] == [line for line in daemon.raw if "destroyed" in line or "never retrieved" in line]


def test_a_stop_while_it_loads_is_obeyed(serve: Serve) -> None:
    daemon = serve()
    daemon.wait_for("engine.loaded")

    assert 0 == daemon.stop()


def test_a_wrong_key_exits_78_and_names_it(serve: Serve) -> None:
    daemon = serve("[http]\nprot = 1\n")

    assert 78 == daemon.wait()
    assert any("http.prot" in line and "'port'" in line for line in daemon.raw)


def test_a_taken_port_exits_69_and_names_it(serve: Serve, daemon: Daemon) -> None:
    taken = daemon.wait_for("daemon.ready")["http_port"]
    second = serve(settings().replace("port = 0", f"port = {taken}", 1))

    assert 69 == second.wait()
    assert any(str(taken) in line for line in second.raw)


def test_no_word_of_a_call_is_in_the_log(daemon: Daemon) -> None:
    report = call(daemon, QUESTIONS[1])

    said = words(report["turns"][0]["heard"]) | words(report["turns"][0]["reply"])
    telling = {word for word in said if len(word) > 3}
    values = [str(value) for line in daemon.lines for value in line.values()]
    plain = [line for line in daemon.raw if not line.startswith("{")]
    logged = words(" ".join([*values, *plain]))
    assert telling
    assert set() == telling & logged
