"""Sonic behind SageMaker: a stream that is cut anywhere, and what AWS says when it fails."""

import asyncio
import base64
import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import botocore.exceptions as errors
import pytest
from botocore.stub import Stubber
from hypothesis import given
from hypothesis import strategies as st

from voiced.audio.pcm import SPEAKING_HZ
from voiced.cartesia import api
from voiced.config.sonic import SageMaker, Sonic, SonicVoice
from voiced.errors import ConfigError, EngineFailed, Stale
from voiced.flow.cancel import Live, Take, Ticket
from voiced.tts.model import Spoken
from voiced.tts.sonic import sagemaker
from voiced.tts.sonic.sagemaker import SageMakerLink
from voiced.tts.sonic.voice import SonicVoice as Voice
from voiced.words import Words

pytestmark = pytest.mark.unit

SONIC = Sonic(
    sagemaker=SageMaker(endpoint="sonic", region="eu-central-1", concurrency=1),
    first_chunk_deadline_ms=300,
    next_chunk_deadline_ms=300,
)
WRITTEN = SonicVoice(name="jia", id="v1", language="ko", emotion="calm")


def line(**fields: Any) -> bytes:
    return json.dumps({"status_code": 206, **fields}, ensure_ascii=False).encode() + b"\n"


def sound(samples: int = 480, **more: Any) -> bytes:
    data = base64.b64encode(b"\1\1" * samples).decode()
    return line(type="chunk", data=data, sampling_rate=SPEAKING_HZ, title="말", **more)


DONE = line(type="done", done=True)


class Stream:
    """A body: parts, each after nothing at all, or after an event is set."""

    def __init__(self, parts: list[bytes], held: threading.Event | None = None) -> None:
        self.parts = parts
        self.held = held
        self.closed = threading.Event()
        self.given = 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for index, part in enumerate(self.parts):
            if index and self.held is not None:
                self.held.wait(2.0)
            self.given += 1
            yield {"PayloadPart": {"Bytes": part}}

    def close(self) -> None:
        self.closed.set()


class Runtime:
    """boto3's client; answers each request with what is next."""

    def __init__(self, *answers: Stream | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[dict[str, Any]] = []

    def invoke_endpoint_with_response_stream(self, **request: Any) -> dict[str, Any]:
        self.requests.append(request)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return {"Body": answer}


def refused(code: str, original: int | None = None) -> Exception:
    response: Any = {"Error": {"Code": code, "Message": "said: something private"}}
    if original is not None:
        response["OriginalStatusCode"] = original
    return errors.ClientError(response, "InvokeEndpointWithResponseStream")


def say(
    runtime: Runtime, clauses: int = 1, then: Callable[[], None] = lambda: None
) -> tuple[list[Spoken], int]:
    """Each clause's length, and the samples that were heard; `then` comes before the close."""

    async def main() -> tuple[list[Spoken], int]:
        link = SageMakerLink(runtime, SONIC, errors)
        voice, live = Voice(link, SONIC, WRITTEN), Live()
        heard: list[int] = []
        ticket = Ticket("a", live.take, live)
        try:
            spoken = []
            for _ in range(clauses):
                clause = Words("안녕하세요.")
                spoken.append(
                    await voice.speak(
                        clause, lambda pcm: heard.append(len(pcm)), ticket, first=True
                    )
                )
            return spoken, sum(heard)
        finally:
            then()
            voice.close()
            await asyncio.to_thread(link.close)

    return asyncio.run(main())


def test_a_clause_is_spoken_and_only_what_the_container_knows_is_sent() -> None:
    runtime = Runtime(Stream([sound(), sound(), DONE]))

    assert ([Spoken(0.04)], 960) == say(runtime)
    request = runtime.requests[0]
    assert ("sonic", "text/event-stream") == (request["EndpointName"], request["Accept"])
    sent = json.loads(request["Body"])
    assert {
        "context_id",
        "transcript",
        "voice",
        "language",
        "output_format",
        "generation_config",
    } == set(sent)
    assert "안녕하세요. " == sent["transcript"]


def test_the_clauses_of_a_reply_are_requests_of_their_own() -> None:
    runtime = Runtime(*(Stream([sound(), DONE]) for _ in range(3)))

    assert ([Spoken(0.02)] * 3, 1440) == say(runtime, 3)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 10_000])
def test_events_that_are_split_over_parts_are_joined(size: int) -> None:
    """Also in the middle of a letter; and two events may come in one part."""
    whole = sound() + sound() + DONE
    parts = [whole[begin : begin + size] for begin in range(0, len(whole), size)]

    assert ([Spoken(0.04)], 960) == say(Runtime(Stream(parts)))


@given(st.lists(st.binary(max_size=20)))
def test_lines_do_not_depend_on_where_a_stream_is_cut(parts: list[bytes]) -> None:
    whole = b"".join(parts)

    assert [one for one in whole.split(b"\n") if one.strip()] == list(sagemaker.joined(iter(parts)))


def test_a_line_that_never_ends_is_given_up() -> None:
    with pytest.raises(api.Garbled):
        list(sagemaker.joined(iter([b"x" * (1 << 19)] * 4)))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (refused("ModelError", 429), "busy"),
        (refused("ModelError", 422), "refused"),
        (refused("ModelError", 500), "failed"),
        (refused("ModelError"), "failed"),
        (refused("ThrottlingException"), "busy"),
        (refused("AccessDeniedException"), "key refused"),
        (refused("ValidationError"), "refused"),
        (refused("SomethingNew"), "failed"),
        (errors.ConnectTimeoutError(endpoint_url="x"), "unreachable"),
        (OSError(), "unreachable"),
        (RuntimeError(), "failed"),
        (Stream([b"{garbage\n"]), "garbled"),
        (Stream([b"[]\n"]), "garbled"),
        (Stream([sound().replace(b"24000", b"16000")]), "garbled"),
        (Stream([line(type="error", status_code=429)]), "busy"),
        (Stream([]), "closed"),
        (Stream([sound()]), "closed"),
        (Stream([DONE]), "silent"),
    ],
    ids=range(18),
)
def test_whatever_goes_wrong_the_voice_fails_with_a_static_reason(
    answer: Stream | Exception, reason: str
) -> None:
    with pytest.raises(EngineFailed) as failed:
        say(Runtime(answer))

    assert reason == failed.value.reason
    if isinstance(answer, Stream):
        assert answer.closed.is_set()


def test_a_stream_that_stalls_is_late_and_not_taken_for_whole() -> None:
    held = threading.Event()

    with pytest.raises(EngineFailed, match="late"):
        say(Runtime(Stream([sound(), sound(), DONE], held)), then=held.set)


def test_a_barge_in_closes_the_stream() -> None:
    held = threading.Event()
    stream = Stream([sound()] * 50, held)
    runtime = Runtime(stream)

    async def main() -> None:
        link = SageMakerLink(runtime, SONIC, errors)
        voice, live = Voice(link, SONIC, WRITTEN), Live()

        def barge_in(_: object) -> None:
            live.take = Take(1, 0)

        with pytest.raises(Stale):
            await voice.speak(Words("one"), barge_in, Ticket("a", live.take, live), first=True)
        held.set()
        assert await asyncio.to_thread(stream.closed.wait, 2.0)
        assert 2 == stream.given
        await asyncio.to_thread(link.close)

    asyncio.run(main())


def test_more_clauses_than_the_endpoint_takes_are_busy_at_once() -> None:
    held = threading.Event()
    runtime = Runtime(Stream([sound(), DONE], held))

    async def main() -> None:
        link = SageMakerLink(runtime, SONIC, errors)
        voice, live = Voice(link, SONIC, WRITTEN), Live()

        async def one(call: str) -> Spoken:
            ticket = Ticket(call, live.take, live)
            return await voice.speak(Words("one"), lambda _: None, ticket, first=True)

        first = asyncio.gather(one("a"))
        await asyncio.sleep(0)
        with pytest.raises(EngineFailed, match="busy"):
            await one("b")
        held.set()
        assert [Spoken(0.02)] == await first
        voice.close()
        await asyncio.to_thread(link.close)

    asyncio.run(main())


@pytest.mark.parametrize("state", ["InService", "Creating", "Failed"])
def test_only_an_endpoint_in_service_is_ready(state: str) -> None:
    """Through botocore's own model of the answer."""
    client = boto3.client(
        "sagemaker",
        region_name="eu-central-1",
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    answer = {
        "EndpointName": "sonic",
        "EndpointArn": "arn:aws:sagemaker:eu-central-1:123456789012:endpoint/sonic",
        "EndpointStatus": state,
        "CreationTime": 0,
        "LastModifiedTime": 0,
    }
    with Stubber(client) as stub:
        stub.add_response("describe_endpoint", answer, {"EndpointName": "sonic"})
        why = sagemaker.status(client, "sonic", errors)

    assert (None if state == "InService" else f"endpoint 'sonic' is {state}") == why


def test_an_endpoint_that_is_not_there_says_so() -> None:
    client = boto3.client(
        "sagemaker", region_name="eu-central-1", aws_access_key_id="x", aws_secret_access_key="x"
    )
    with Stubber(client) as stub:
        stub.add_client_error("describe_endpoint", "ValidationException")
        why = sagemaker.status(client, "sonic", errors)

    assert "endpoint 'sonic': ValidationException" == why


def test_without_boto3_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "boto3", None)

    with pytest.raises(ConfigError, match="extra 'sagemaker'"):
        SageMakerLink.open_for(SONIC)


def test_the_client_asks_once_and_waits_no_longer_than_the_deadlines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A second try inside a turn would be heard as silence."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    link = SageMakerLink.open_for(SONIC)

    client: Any = link._runtime
    config = client.meta.config
    assert (1.0, 0.3, 1) == (
        config.connect_timeout,
        config.read_timeout,
        config.retries["total_max_attempts"],
    )
    assert "https://runtime.sagemaker.eu-central-1.amazonaws.com" == client.meta.endpoint_url
    link.close()
