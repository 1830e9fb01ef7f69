"""What every benchmark is told; each takes what it needs.

It does not know which benchmarks there are.
"""

from dataclasses import dataclass, field
from pathlib import Path

from voiced.config.settings import Settings
from voiced.errors import UnavailableError


@dataclass(frozen=True, slots=True, kw_only=True)
class CallOptions:
    """What `bench call` alone is told."""

    fake_models: bool = False
    """Engines that take a known time: the framework alone is measured."""
    growth: bool = False
    """Fewer callers first: 1, 2, 4 ..."""
    gate: int | None = None
    """ms that 95 % of the turns may take."""
    page: Path | None = None
    """Where the report is written as HTML."""
    audio: tuple[Path, ...] = ()
    """Recorded questions in the place of those that are said here."""
    loss: float = 0.0
    """Percent of the packets, either way."""
    jitter: float = 0.0
    """ms."""
    noise: float | None = None
    """dB by which a hiss is softer than what callers say; none: no hiss."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchOptions:
    """The command line of `voiced bench`, checked."""

    settings: Settings
    """Where the models lie, which profile, how many threads."""
    speech: Path
    """Folder of recorded speech: `manifest.tsv` and `audio/`. May be absent: ask `speech_dir`."""
    turns: Path | None = None
    """A sentence a line, `|` at its natural pauses."""
    voice: str | None = None
    """Catalogue name of a voice; none: the profile's first."""
    language: str | None = None
    """ISO 639-1; none: English."""
    rounds: int = 5
    """How often ours and the baseline take turns."""
    readback: Path | None = None
    """Sentences that the voice says and the recogniser reads, in place of the voice's own bench."""
    calls: int | None = None
    """How many calls at once; none: the benchmark's own number."""

    config: Path | None = None
    """The file that `settings` came from; none: the built-in defaults."""
    call: CallOptions = field(default_factory=CallOptions)

    def speech_dir(self) -> Path:
        """The folder of speech. Raises UnavailableError when it is not there."""
        if not (self.speech / "manifest.tsv").is_file():
            raise UnavailableError(
                f"{self.speech}: no recorded speech there (manifest.tsv is missing): "
                "name its folder with --speech DIR"
            )
        return self.speech
