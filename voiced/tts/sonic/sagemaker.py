"""The same voices behind a SageMaker endpoint in the site's own AWS account.

    submission -> invoke_endpoint_with_response_stream -> parts -> lines -> events -> lane

There are no contexts and no cancelling there: each clause is a request of its own, on a thread, and
one that nobody wants any more is closed in the middle. boto3 is imported only where an endpoint is
configured. It does not know clauses' deadlines, or who speaks.
"""

import asyncio
import importlib
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Protocol

from voiced.audio.pcm import SPEAKING_HZ
from voiced.cartesia import api
from voiced.config.sonic import Sonic
from voiced.errors import ConfigError, EngineFailed
from voiced.flow.lane import Lane
from voiced.ops import log, metrics
from voiced.tts.sonic import wire
from voiced.tts.sonic.link import EVENTS

_LONGEST_LINE_BYTES = 1 << 20

_REASONS = {
    "ThrottlingException": "busy",
    "ServiceUnavailable": "failed",
    "AccessDeniedException": "key refused",
    "ExpiredTokenException": "key refused",
    "UnrecognizedClientException": "key refused",
    "ValidationError": "refused",
}
"""Of what AWS says itself; what the container says comes as a ModelError with its own status."""


class Runtime(Protocol):
    """boto3's client `sagemaker-runtime`."""

    def invoke_endpoint_with_response_stream(self, **request: Any) -> dict[str, Any]: ...


class SageMakerLink:
    """A Link. Main loop only, but for `close`, which blocks."""

    def __init__(self, runtime: Runtime, sonic: Sonic, errors: Any) -> None:
        """`errors` is botocore's module of exceptions."""
        self._runtime = runtime
        self._endpoint = sonic.sagemaker.endpoint
        self._lines = sonic.sagemaker.concurrency
        self._errors = errors
        self._routes: dict[str, Lane[wire.Event]] = {}
        self._busy: set[str] = set()  # contexts that a thread works on; threads take them out
        self._threads = ThreadPoolExecutor(self._lines, "voiced-sagemaker")

    @classmethod
    def open_for(cls, sonic: Sonic) -> "SageMakerLink":
        """With credentials as boto3 finds them. Takes a second. Raises ConfigError without it."""
        return cls(_client("sagemaker-runtime", sonic), sonic, _errors())

    @property
    def contexts(self) -> int:
        return len(self._routes)

    async def open(self) -> None:
        """As `Link.open` says: more clauses at once than the endpoint takes are not sent."""
        if len(self._busy) >= self._lines:
            raise EngineFailed("tts", "busy")

    def attach(self, context: str) -> Lane[wire.Event]:
        lane: Lane[wire.Event] = Lane(EVENTS)
        self._routes[context] = lane
        return lane

    def attached(self, context: str) -> bool:
        return context in self._routes

    def detach(self, context: str) -> None:
        self._routes.pop(context, None)

    def send(self, message: api.Message) -> None:
        lane = self._routes.get(message["context_id"])
        if lane is not None and message["continue"]:  # a request ends by itself
            self._busy.add(message["context_id"])
            self._threads.submit(self._speak, message, lane)

    def close(self) -> None:
        """Waits for the threads, which give up with the next part."""
        self._routes.clear()
        self._threads.shutdown(cancel_futures=True)

    def _speak(self, message: api.Message, lane: Lane[wire.Event]) -> None:
        """One clause, on a thread: its events, or why there are none."""
        trouble = wire.Trouble(None, "closed")  # unless `done` comes: then nobody reads on
        try:
            for event in self._events(message):
                if isinstance(event, wire.Done):
                    self._busy.discard(message["context_id"])  # before the next clause can ask
                lane.put(event)
        except api.Garbled:
            metrics.SONIC_DROPPED.labels("garbled").inc()
            trouble = wire.Trouble(None, "garbled")
        except self._errors.ClientError as error:
            trouble = wire.Trouble(None, reason_of(error.response))
        except (self._errors.BotoCoreError, OSError):
            trouble = wire.Trouble(None, "unreachable")
        except Exception as error:  # noqa: BLE001 - border: an engine thread; boto3 lets others through
            log.failure("sonic.failed", error)
            trouble = wire.Trouble(None, "failed")
        self._busy.discard(message["context_id"])
        lane.put(trouble)

    def _events(self, message: api.Message) -> Iterator[wire.Event]:
        answer = self._runtime.invoke_endpoint_with_response_stream(
            EndpointName=self._endpoint,
            ContentType="application/json",
            Accept="text/event-stream",
            Body=body(message).encode(),
        )
        stream = answer["Body"]
        try:
            for line in joined(_payload(part) for part in stream):
                if message["context_id"] not in self._routes:
                    return
                event = checked(line, message["context_id"])
                if event is not None:
                    yield event
        finally:
            stream.close()


async def why_not(sonic: Sonic) -> str | None:
    """Why the endpoint cannot speak; None when it is InService. Raises ConfigError."""
    return await asyncio.to_thread(
        lambda: status(_client("sagemaker", sonic), sonic.sagemaker.endpoint, _errors())
    )


def status(client: Any, endpoint: str, errors: Any) -> str | None:
    """As `why_not`, of a client `sagemaker`; blocks."""
    try:
        found = client.describe_endpoint(EndpointName=endpoint)["EndpointStatus"]
    except errors.ClientError as error:
        return f"endpoint {endpoint!r}: {error.response['Error']['Code']}"
    except (errors.BotoCoreError, OSError) as error:
        return f"endpoint {endpoint!r}: nobody answers ({type(error).__name__})"
    return None if found == "InService" else f"endpoint {endpoint!r} is {found}"


def body(message: api.Message) -> str:
    """A submission as the container takes it: it knows its model, and has no continuations."""
    keys = ("context_id", "transcript", "voice", "language", "output_format", "generation_config")
    return json.dumps({key: message[key] for key in keys if key in message}, ensure_ascii=False)


def joined(parts: Iterator[bytes]) -> Iterator[bytes]:
    """The lines of a stream that is cut anywhere, in the middle of a letter too. Raises Garbled."""
    rest = b""
    for part in parts:
        *lines, rest = (rest + part).split(b"\n")
        yield from (line for line in lines if line.strip())
        if len(rest) > _LONGEST_LINE_BYTES:
            raise api.Garbled
    if rest.strip():
        yield rest


def checked(line: bytes, context: str) -> wire.Event | None:
    """A line as an event of a context. Raises Garbled, for sound of another rate too."""
    try:
        message = json.loads(line.removeprefix(b"data:"))
    except (ValueError, RecursionError):
        raise api.Garbled from None
    if not isinstance(message, dict):
        raise api.Garbled
    if message.get("sampling_rate", SPEAKING_HZ) != SPEAKING_HZ:
        raise api.Garbled  # played at our rate it would be noise
    return wire.event(json.dumps({**message, "context_id": context}))


def _payload(part: dict[str, Any]) -> bytes:
    try:
        return bytes(part["PayloadPart"]["Bytes"])
    except (KeyError, TypeError):
        raise api.Garbled from None


def reason_of(response: dict[str, Any]) -> str:
    """AWS's answer to a request that failed, as a static reason."""
    code = response.get("Error", {}).get("Code", "")
    if code == "ModelError":
        original = response.get("OriginalStatusCode", 500)
        return api.reason_of(int(original))
    return _REASONS.get(code, "failed")


def _client(service: str, sonic: Sonic) -> Any:
    own = sonic.sagemaker
    boto3, config = _imported("boto3"), _imported("botocore.config")
    seconds = sonic.first_chunk_deadline_ms / 1000
    private = f"https://{own.host}" if own.host and service == "sagemaker-runtime" else None
    return boto3.client(
        service,
        region_name=own.region,
        endpoint_url=private,
        config=config.Config(
            connect_timeout=sonic.connect_deadline_ms / 1000,
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
            max_pool_connections=own.concurrency,
        ),
    )


def _errors() -> Any:
    return _imported("botocore.exceptions")


def _imported(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ConfigError(
            "sonic.sagemaker.endpoint needs boto3: install voiced with the extra 'sagemaker'"
        ) from None
