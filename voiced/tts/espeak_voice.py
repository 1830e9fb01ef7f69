"""The espeak-ng program's own voice: the last resort, for a language that no other voice speaks.

It sounds like a machine, is understood, and speaks some hundred languages in a few milliseconds. A
process for each piece: text in, WAV out. Never chosen by itself: an agent has to name it. It does
not know calls, or where the sound goes.
"""

import os
import select
import subprocess
from collections.abc import Iterator
from typing import Final

import numpy as np

from voiced import clock
from voiced.config.settings import Tts
from voiced.errors import EngineFailed, UnavailableError
from voiced.gpu.worker import Worker
from voiced.tts.diction import Breath, Diction
from voiced.tts.lexicon import NO_WORDS, Lexicon
from voiced.tts.local import WAITING, Local
from voiced.tts.phonemes import Piece
from voiced.tts.windows import Floats

NAME: Final = "espeak-ng"
"""What an agent writes under [voices]."""

HZ: Final = 22_050
_HEADER_BYTES: Final = 44
_CHUNK_BYTES: Final = 1 << 14
"""0.37 s of sound."""

_DEADLINE_S: Final = 5.0


class EspeakVoice:
    """A `Breather`. Everything on one thread."""

    hz = HZ
    piece_characters = 200

    def __init__(self, voice: str, lexicon: Lexicon = NO_WORDS, *, program: str = NAME) -> None:
        """`voice` is one of espeak-ng's: `ko`, or with a variant `ko+f2`.

        Raises UnavailableError when the program is not there or has no such voice.
        """
        self._lexicon = lexicon
        self._command = (program, "-v", voice, "--stdin", "--stdout")
        try:
            heard = sum(len(samples) for samples in self._samples("1"))
        except (EngineFailed, OSError):
            heard = 0
        if not heard:
            raise UnavailableError(
                f"{program}: has no voice {voice!r}, or is not there: apt-get install espeak-ng, "
                f"and see {program} --voices"
            )

    def breathe(self, piece: Piece) -> Breath | None:
        """As `Breather.breathe` says; it never tells when a word is over."""
        text = " ".join(phrase.text + phrase.mark for phrase in piece)
        return Breath(self._samples(self._lexicon.respelled(text)))

    def warm(self) -> None:
        """Nothing more."""

    def close(self) -> None:
        """Nothing: each process has ended with its piece."""

    def _samples(self, text: str) -> Iterator[Floats]:
        """What the program says, a chunk at a time. Raises EngineFailed and OSError."""
        until = clock.now() + _DEADLINE_S
        with subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            process_group=0,
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                # Brackets hold direct phoneme input, which no text may begin.
                process.stdin.write(text.replace("[[", " ").encode(errors="replace"))
                process.stdin.close()
                said = _pieces(process.stdout.fileno(), until)
                yield from _decoded(said)
            finally:
                process.kill()


def load(language: str, variant: str, settings: Tts, lexicon: Lexicon = NO_WORDS) -> Local:
    """The program's voice for a language, not warm. Raises UnavailableError."""
    voice = f"{language}+{variant}" if variant else language
    diction = Diction(EspeakVoice(voice, lexicon), None, language)
    return Local(diction, Worker("tts", WAITING), settings.deadline_ms / 1000)


def _pieces(pipe: int, until: float) -> Iterator[bytes]:
    while True:
        ready, _, _ = select.select([pipe], [], [], max(0.0, until - clock.now()))
        if not ready:
            raise EngineFailed("tts", "espeak-ng was late")
        piece = os.read(pipe, _CHUNK_BYTES)
        if not piece:
            return
        yield piece


def _decoded(said: Iterator[bytes]) -> Iterator[Floats]:
    """Samples of a WAV file whose length is not known at its beginning."""
    left = b""
    header = True
    for piece in said:
        left += piece
        if header and len(left) >= _HEADER_BYTES:
            if int.from_bytes(left[24:28], "little") != HZ:
                raise EngineFailed("tts", "espeak-ng speaks at another rate")
            left, header = left[_HEADER_BYTES:], False
        whole = 0 if header else len(left) // 2 * 2
        if whole:
            yield np.frombuffer(left[:whole], "<i2").astype(np.float32) / np.float32(32768)
            left = left[whole:]
