"""What the log takes, and that nothing of a call gets in by any other way."""

import asyncio
import gc
import io
import json
import logging
import sys
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum

import pytest

from voiced.ops import log
from voiced.words import Words

pytestmark = pytest.mark.unit

CANARY = "canary penicillin"


class Stream(io.StringIO):
    """What was written, line by line."""

    @property
    def lines(self) -> list[dict[str, object]]:
        return [json.loads(line, parse_constant=_not_json) for line in self.getvalue().splitlines()]

    @property
    def line(self) -> dict[str, object]:
        (only,) = self.lines
        return only


@pytest.fixture
def stream() -> Iterator[Stream]:
    """The log goes there, and all hooks are as they were when the test is over."""
    stream = Stream()
    root, ours = logging.getLogger(), logging.getLogger("voiced")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    hooks = (sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning)
    raising = logging.raiseExceptions
    log.to(stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    sys.excepthook, sys.unraisablehook, threading.excepthook, warnings.showwarning = hooks
    logging.raiseExceptions = raising


class Floor(StrEnum):
    QUIET = "quiet"


def test_a_line_is_an_event_with_its_values(stream: Stream) -> None:
    log.info("call.opened", call="a1-B2", port=8080, cut=True, seconds=1.23456, agent=None)

    line = stream.line
    assert "T" in str(line.pop("at"))
    assert {
        "level": "info",
        "event": "call.opened",
        "call": "a1-B2",
        "port": 8080,
        "cut": True,
        "seconds": 1.235,
        "agent": None,
    } == line


def test_every_line_is_json_also_with_numbers_that_json_lacks(stream: Stream) -> None:
    log.info("leg.measured", low=float("-inf"), none=float("nan"))

    assert ("-inf", "nan") == (stream.line["low"], stream.line["none"])


def test_a_name_of_an_enumeration_is_its_value(stream: Stream) -> None:
    log.warning("floor.taken", floor=Floor.QUIET)

    assert ("quiet", "warning") == (stream.line["floor"], stream.line["level"])


@pytest.mark.parametrize(
    "value",
    [
        Words("penicillin"),
        [Words("penicillin")],
        {"text": "penicillin"},
        b"penicillin",
        "a sentence",
        "one\nline",
        "f\u00fcnf",
        "x" * 201,
        ValueError("penicillin"),
    ],
    ids=["words", "list", "dict", "bytes", "sentence", "lines", "letters", "length", "error"],
)
def test_what_is_no_plain_name_or_number_is_refused(stream: Stream, value: object) -> None:
    with pytest.raises(TypeError, match="field 'said'") as refusal:
        log.info("turn.ended", said=value)  # type: ignore[arg-type]

    assert ("", False) == (stream.getvalue(), "penicillin" in str(refusal.value))


def test_an_event_is_a_plain_name_too(stream: Stream) -> None:
    with pytest.raises(TypeError, match="field 'event'"):
        log.info(CANARY)

    assert "" == stream.getvalue()


def test_nobody_may_set_what_every_line_has(stream: Stream) -> None:
    with pytest.raises(TypeError, match="log field 'at' is the log's own"):
        log.info("call.opened", at=1.0)


def test_of_an_exception_only_kinds_and_places_are_told(stream: Stream) -> None:
    try:
        try:
            raise KeyError(CANARY)
        except KeyError as cause:
            raise ValueError(CANARY, Words(CANARY)) from cause
    except ValueError as error:
        error.add_note(CANARY)
        log.failure("engine.failed", error, stage="llm")

    line = stream.line
    assert ("ValueError/KeyError", "llm", "error") == (line["error"], line["stage"], line["level"])
    assert str(line["where"]).startswith("test_log.py:")
    assert CANARY not in stream.getvalue()


def test_of_a_group_the_members_are_told_and_where_the_first_arose(stream: Stream) -> None:
    async def story() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(fail())

    with pytest.raises(ExceptionGroup) as met:
        asyncio.run(story())
    log.failure("call.failed", met.value)

    assert "ExceptionGroup/RuntimeError" == stream.line["error"]
    assert str(stream.line["where"]).startswith("test_log.py:")


def test_any_exception_can_be_told(stream: Stream) -> None:
    """Also one with a name that is no plain name, and a chain that is longer than a field."""
    strange = type("\u00c4rger " * 60, (Exception,), {})
    log.failure("engine.failed", strange(CANARY))

    assert 200 == len(str(stream.line["error"]))


@pytest.mark.parametrize("level", [logging.DEBUG, logging.WARNING, logging.CRITICAL])
def test_of_other_libraries_only_who_and_where_is_told(stream: Stream, level: int) -> None:
    logging.getLogger().setLevel(logging.DEBUG)
    logging.getLogger("aiortc.rtcpeerconnection").log(level, "%s: %s", CANARY, CANARY)

    line = stream.line
    assert ("library.warned", "aiortc.rtcpeerconnection") == (line["event"], line["library"])
    assert CANARY not in stream.getvalue()


def test_of_a_library_s_exception_only_the_kind_is_told(stream: Stream) -> None:
    try:
        raise ValueError(CANARY)
    except ValueError:
        logging.getLogger("aiohttp.server").exception(CANARY, extra={"values": {"x": CANARY}})

    assert "ValueError" == stream.line["error"]
    assert CANARY not in stream.getvalue()


def test_somebody_who_borrows_our_logger_is_told_like_a_library(stream: Stream) -> None:
    logging.getLogger("voiced").warning(CANARY)
    logging.getLogger("voiced.call").warning(CANARY)

    assert ["library.warned", "library.warned"] == [line["event"] for line in stream.lines]
    assert CANARY not in stream.getvalue()


def test_chatter_of_other_libraries_is_left_out(stream: Stream) -> None:
    logging.getLogger("aiortc").info(CANARY)

    assert "" == stream.getvalue()


def test_a_record_that_cannot_be_formatted_is_written_all_the_same(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong record of a library is no reason to print it on stderr."""
    logging.getLogger("aiortc").warning("%d %d", CANARY)

    assert ("library.warned", "") == (stream.line["event"], capsys.readouterr().err)


def test_a_stream_that_fails_prints_nothing(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.close()
    log.failure("engine.failed", ValueError(CANARY))
    logging.getLogger("aiortc").error(CANARY)

    assert ("", "") == tuple(capsys.readouterr())


def test_an_uncaught_exception_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    error = ValueError(CANARY)
    sys.excepthook(ValueError, error, None)

    assert ("daemon.failed", "ValueError") == (stream.line["event"], stream.line["error"])
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


def test_an_uncaught_exception_of_a_thread_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = threading.Thread(target=lambda: int(CANARY), name="voiced-stt")
    thread.start()
    thread.join()

    line = stream.line
    assert ("thread.failed", "voiced-stt", "ValueError") == (
        line["event"],
        line["thread"],
        line["error"],
    )
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


def test_a_thread_that_ends_on_purpose_is_not_told(stream: Stream) -> None:
    thread = threading.Thread(target=sys.exit)
    thread.start()
    thread.join()

    assert "" == stream.getvalue()


def test_an_exception_that_python_cannot_raise_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    class Dying:
        def __del__(self) -> None:
            raise ValueError(CANARY)

    Dying()
    gc.collect()

    assert ("python.unraisable", "ValueError") == (stream.line["event"], stream.line["error"])
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


@pytest.mark.filterwarnings("default")
def test_a_warning_shows_no_message(stream: Stream, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        log.to(stream)  # pytest took the hook for itself
        warnings.warn(CANARY, stacklevel=1)

    line = stream.line
    assert ("python.warned", "UserWarning") == (line["event"], line["kind"])
    assert str(line["where"]).startswith("test_log.py:")
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


def test_a_task_that_nobody_awaits_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    """asyncio tells its own logger, with the task and its exception in the text."""

    async def story() -> None:
        task = asyncio.get_running_loop().create_task(fail(), name=CANARY)
        await asyncio.wait([task])
        del task
        gc.collect()

    asyncio.run(story(), debug=True)

    assert {("asyncio", "RuntimeError")} == {
        (line["library"], line["error"]) for line in stream.lines if line["level"] == "error"
    }
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


def test_a_callback_that_raises_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    async def story() -> None:
        asyncio.get_running_loop().call_soon(int, CANARY)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(story())

    assert ("asyncio", "ValueError") == (stream.line["library"], stream.line["error"])
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


def test_a_future_s_callback_that_raises_shows_no_message(
    stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(lambda: CANARY)
        future.add_done_callback(lambda done: int(done.result()))

    assert "concurrent.futures" == stream.line["library"]
    assert ("", False) == (capsys.readouterr().err, CANARY in stream.getvalue())


async def fail() -> None:
    raise RuntimeError(CANARY)


def _not_json(constant: str) -> float:
    raise ValueError(f"{constant} is not JSON")
