"""[sonic]: voices of Cartesia's Sonic, where a site runs it; off unless an address is written.

Model, API version and languages are plain text: they change with the vendor's images, not with this
program. It does not know the protocol (`voiced.tts.sonic`).
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

_Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
_Language = Annotated[str, Field(pattern=r"^[a-z]{2}$")]
_Url = Annotated[str, Field(pattern=r"^(https?://[^/?#\s@]+(/[^?#\s@]*)?)?$")]
"""A scheme, a host and a port, and the path of an ingress where there is one. Empty: none."""

_Address = Annotated[str, Field(pattern=r"^(https?://\S+)?$")]
_Device = Annotated[str, Field(pattern=r"^((GPU|MIG)-[0-9A-Za-z-]+)?$")]
_Positive = Annotated[int, Field(ge=1)]
_Deadline = Annotated[int, Field(ge=1, le=60_000)]
_HERE = ("127.0.0.1", "::1", "localhost")


@dataclass(frozen=True, slots=True, kw_only=True)
class SonicVoice:
    """[[sonic.voices]]: one voice, by the name that agents write under [voices]."""

    name: _Name
    """Must not be a name of the catalogue."""
    id: Annotated[str, Field(min_length=1)]
    """The vendor's identifier of the voice."""
    language: _Language
    """What agents call the language."""
    second: str = ""
    """Voice of this machine that steps in, as an agent would name it; empty: the profile's first
    that speaks the language, else none."""
    locale: str = ""
    """What Sonic is told instead of `language`: "ko-KR"; empty: `language`."""
    emotion: str = ""
    """One of the vendor's words: "calm", "sympathetic"; empty: the voice's own."""
    speed: Annotated[float, Field(ge=0.6, le=1.5)] | None = None
    volume: Annotated[float, Field(ge=0.5, le=2.0)] | None = None
    gain: Annotated[float, Field(gt=0.0, le=8.0)] = 1.0
    """Louder by this, here and not there, so that it is as loud as the voice that steps in;
    `voiced voices audition` says which gain that is."""
    pronunciation: str = ""
    """The vendor's identifier of a pronunciation dictionary."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SageMaker:
    """[sonic.sagemaker]: the same voices behind an endpoint in the site's own AWS account.

    Used in place of `url`. Credentials are found as boto3 finds them.
    """

    endpoint: str = ""
    """Name of the endpoint; empty: off."""
    region: str = ""
    host: str = ""
    """Of a private (VPC) address; empty: the region's public one."""
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    """Clauses at once; the vendor's container answers more with 429."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cloning:
    """[sonic.cloning]: `voiced voices clone` may send a sample of a voice to the vendor's cloud."""

    url: _Url = ""
    """The vendor's address, such as https://api.cartesia.ai; empty: cloning is refused."""
    key_file: Path | None = None
    """File whose first line is the key for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sonic:
    """[sonic]: where it is, and how long it may take."""

    url: _Url = ""
    """http://HOST:PORT of the API server; empty: off."""
    key_file: Path | None = None
    """File whose first line is the API key; none: the unit's credential `sonic-key`, if any."""
    version: str = "2025-04-16"
    """The `Cartesia-Version` that is asked for."""
    model: str = "sonic-3"
    """The `model_id`; self-hosted images have their own."""
    worker_metrics: tuple[_Address, ...] = ()
    """Metrics pages of the workers; ready only when one of them reports capacity."""
    device: _Device = ""
    """UUID of the card or slice that its worker has on this machine, as `nvidia-smi -L` shows it;
    empty: its worker is elsewhere."""
    connect_deadline_ms: _Deadline = 1_000
    first_chunk_deadline_ms: _Deadline = 1_500
    """No first sound of a clause by then: the voice has failed."""
    next_chunk_deadline_ms: _Deadline = 1_000
    """No further sound of a clause by then: the voice has failed."""
    ready_deadline_ms: Annotated[int, Field(ge=0, le=600_000)] = 120_000
    """Not ready by then: the daemon does not start."""
    failures: _Positive = 3
    """So many in a row, and it is left alone for `pause_ms`."""
    pause_ms: _Deadline = 10_000
    sagemaker: SageMaker = field(default_factory=SageMaker)
    cloning: Cloning = field(default_factory=Cloning)
    voices: tuple[SonicVoice, ...] = ()

    @property
    def configured(self) -> bool:
        """Somebody wrote where it is."""
        return bool(self.url or self.sagemaker.endpoint)


def complaints(sonic: Sonic) -> list[str]:
    """What is wrong with the table as a whole, a sentence each: key, value, what to write."""
    found = []
    names = [voice.name for voice in sonic.voices]
    for name in sorted({name for name in names if names.count(name) > 1}):
        found.append(f"sonic.voices: two are named {name!r}: write another name")
    if sonic.voices and not sonic.configured:
        found.append("sonic.voices need sonic.url: write http://HOST:PORT of the API server")
    if sonic.url and sonic.sagemaker.endpoint:
        found.append("sonic.url and sonic.sagemaker.endpoint: write one of them")
    if sonic.sagemaker.endpoint and not sonic.sagemaker.region:
        found.append("sonic.sagemaker.region is empty: write the region of the endpoint")
    if sonic.device and urlsplit(sonic.url).hostname not in _HERE:
        found.append(
            "sonic.device is of a worker on this machine, and sonic.url is not: leave it out"
        )
    cloud = urlsplit(sonic.cloning.url)
    if cloud.scheme == "http" and cloud.hostname not in _HERE:
        found.append(f"sonic.cloning.url = {sonic.cloning.url!r}: a key goes there: write https")
    return found
