"""What every benchmark is told; each takes what it needs.

It does not know which benchmarks there are.
"""

from dataclasses import dataclass
from pathlib import Path

from voiced.config.settings import Settings
from voiced.errors import UnavailableError


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

    def speech_dir(self) -> Path:
        """The folder of speech. Raises UnavailableError when it is not there."""
        if not (self.speech / "manifest.tsv").is_file():
            raise UnavailableError(
                f"{self.speech}: no recorded speech there (manifest.tsv is missing): "
                "name its folder with --speech DIR"
            )
        return self.speech
