"""Whisper through CTranslate2's own encode and generate: one utterance, read to its end.

The encoder is given the shortest window that was tried for the language, not 30 s of padding; a
decode that loses the thread in it is done once more on the full window. Greedy, no temperature, no
timestamps: the same sound gives the same text, whatever was read before.

It does not know threads, calls, or whether the text is worth believing (`gate`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import ctranslate2
import numpy as np

from voiced.audio.pcm import HEARING_HZ, Pcm
from voiced.config.settings import Device
from voiced.errors import Stale, UnavailableError
from voiced.flow.cancel import Ticket
from voiced.stt import again, decoding, mel
from voiced.stt.decoding import Decoded
from voiced.stt.leaning import Leaning
from voiced.stt.model import Heard, Names, Utterance
from voiced.stt.pieces import cut
from voiced.stt.vocabulary import LONGEST_HINT, Vocabulary
from voiced.stt.windows import FULL_S, LONGEST_S, Windows
from voiced.words import Words

_LEAST = HEARING_HZ // 10
"""Samples below which there is nothing to read."""

_LEAST_VOICED_S = 0.1
"""Speech without which the hint is withheld: in noise the model reads out what it was told."""

_LEAST_CHANCE = 1e-10

_COMPUTE = {"cpu": "int8", "cuda": "float16"}


@dataclass(frozen=True, slots=True, repr=False)
class _Piece:
    """A piece of an utterance, as the encoder gave it and as it was read."""

    sound: ctranslate2.StorageView
    decoded: Decoded
    seconds: float


class Reader:
    """The resident model. One thread at a time may call it."""

    def __init__(
        self, directory: Path, windows: Windows, threads: int, device: Device = "cpu"
    ) -> None:
        """Loads the weights, on that device and no other. Raises UnavailableError."""
        if not (directory / "model.bin").is_file():
            raise UnavailableError(f"{directory}: no model.bin there: run `voiced models pull`")
        self.windows = windows
        self._vocabulary = Vocabulary(directory / "tokenizer.json")
        self._model = _loaded(directory, threads, device)
        self.mel = mel.on(device, self._model.n_mels)

    def read(self, utterance: Utterance, ticket: Ticket) -> Heard:
        """The whole utterance. Raises Stale between two pieces when nobody wants it any more."""
        return self.listen(utterance, ticket)[0]

    def listen(
        self, utterance: Utterance, ticket: Ticket
    ) -> tuple[Heard, Callable[[Sequence[str], Names], Words]]:
        """The same, and what reads it again for phrases (`Again`). Raises as `read` does."""
        hotwords = utterance.hotwords if utterance.voiced_s >= _LEAST_VOICED_S else ()
        pieces: list[_Piece] = []
        for pcm in cut(utterance.pcm):
            if ticket.stale:
                raise Stale("stt")
            if len(pcm) < _LEAST:
                continue
            sound = self._encoded(pcm, self._window(pcm, utterance.language))
            if not pieces:
                utterance, sound = self._settled(utterance, pcm, sound)
            prompt = self._vocabulary.prompt(utterance.language, hotwords)
            decoded = self._believable(pcm, sound, utterance.language, prompt)
            pieces.append(_Piece(sound, decoded, len(pcm) / HEARING_HZ))
        decodes = [piece.decoded for piece in pieces]
        texts = [self._vocabulary.text(decoded.tokens[: decoded.kept]) for decoded in decodes]
        heard = decoding.joined(decodes, texts, utterance.language)
        listens = partial(self._again, pieces, utterance.language)
        return replace(heard, leaning=utterance.leaning), listens

    def _again(
        self, pieces: Sequence[_Piece], language: str, phrases: Sequence[str], names: Names
    ) -> Words:
        prompt = self._vocabulary.prompt(language, phrases, LONGEST_HINT)
        texts = []
        for piece in pieces:
            limit = self.windows.limit(piece.seconds, language)
            told = partial(self._decodes, piece.sound, prompt, limit, again.BEAM)
            likely = partial(self._likely, piece.sound, language)
            texts.append(again.borne(piece.decoded, told, likely, names))
        return Words(" ".join(text for text in texts if text))

    def _likely(
        self, sound: ctranslate2.StorageView, language: str, tokens: Sequence[int]
    ) -> float:
        """The log-probability of a text and of its end, by the sound alone."""
        asked = self._vocabulary.prompt(language, ())
        text = [*tokens, self._vocabulary.end]
        [found] = self._model.align(sound, asked, [text], 2 * sound.shape[1])
        chances = np.maximum(found.text_token_probs[: len(text)], _LEAST_CHANCE)
        return float(np.log(chances).sum())

    def glance(
        self, utterance: Utterance, unwanted: Callable[[], bool]
    ) -> tuple[Words, Leaning | None] | None:
        """What there is of an utterance that grows, read once; None when that gave nothing sure.

        What no longer fits the window is not read: the final text will have it. It is given up
        half-way when it is `unwanted` by then.
        """
        pcm, seconds = utterance.pcm, len(utterance.pcm) / HEARING_HZ
        if len(pcm) < _LEAST or seconds > LONGEST_S:
            return None
        sound = self._encoded(pcm, self._window(pcm, utterance.language))
        if unwanted():
            return None
        utterance, sound = self._settled(utterance, pcm, sound)
        prompt = self._vocabulary.prompt(utterance.language, ())
        limit = self.windows.limit(seconds, utterance.language)
        decoded = self._decoded(sound, prompt, limit)
        return None if decoded.astray else (Words(decoded.text), utterance.leaning)

    def decode(self, pcm: Pcm, window_s: int, prompt: Sequence[int], limit: int) -> Decoded:
        """Reads sound once, in a window of so many seconds, up to a limit of tokens."""
        return self._decoded(self._encoded(pcm, window_s), prompt, limit)

    def _encoded(self, pcm: Pcm, window_s: int) -> ctranslate2.StorageView:
        sound = ctranslate2.StorageView.from_array(self.mel.of([pcm], window_s))
        return self._model.encode(sound)

    def _decoded(
        self, encoded: ctranslate2.StorageView, prompt: Sequence[int], limit: int
    ) -> Decoded:
        return self._decodes(encoded, prompt, limit, 1)[0]

    def _decodes(
        self, encoded: ctranslate2.StorageView, prompt: Sequence[int], limit: int, beam: int
    ) -> list[Decoded]:
        """So many readings, the likeliest first."""
        result = self._model.generate(
            encoded,
            [list(prompt)],
            beam_size=beam,
            num_hypotheses=beam,
            # the library stops at half of this, or at this less the prompt, whichever comes first
            max_length=max(2 * limit, limit + len(prompt)),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
        )[0]
        return [
            Decoded(
                tokens=tuple(tokens),
                text=self._vocabulary.text(tokens),
                logprob=score * len(tokens),
                no_speech=result.no_speech_prob,
                cut=len(tokens) >= limit,
            )
            for tokens, score in zip(result.sequences_ids, result.scores, strict=True)
        ]

    def _settled(
        self, utterance: Utterance, pcm: Pcm, sound: ctranslate2.StorageView
    ) -> tuple[Utterance, ctranslate2.StorageView]:
        """The utterance in the language that it is in, by its first piece, and that piece's sound.

        Asking costs one step of the decoder; the encoder runs again only where the language is
        another, and wants another window.
        """
        if utterance.leaning is None:
            return utterance, sound
        [guesses] = self._model.detect_language(sound)
        likely = {mark.strip("<|>"): probability for mark, probability in guesses}
        leaning = utterance.leaning.after(likely, utterance.voiced_s)
        settled = replace(utterance, language=leaning.language, leaning=leaning)
        window_s = self._window(pcm, settled.language)
        if window_s != self._window(pcm, utterance.language):
            sound = self._encoded(pcm, window_s)
        return settled, sound

    def _window(self, pcm: Pcm, language: str) -> int:
        return self.windows.choose(len(pcm) / HEARING_HZ, language)

    def _believable(
        self, pcm: Pcm, sound: ctranslate2.StorageView, language: str, prompt: Sequence[int]
    ) -> Decoded:
        """What was decoded of the sound; of the full window where that lost the thread."""
        limit = self.windows.limit(len(pcm) / HEARING_HZ, language)
        decoded = self._decoded(sound, prompt, limit)
        if decoded.astray and self._window(pcm, language) < FULL_S:
            return self.decode(pcm, FULL_S, prompt, limit)
        return decoded


def _loaded(directory: Path, threads: int, device: Device) -> ctranslate2.models.Whisper:
    """The weights. Raises UnavailableError where there is no such device, or no room on it."""
    if device == "cuda" and not ctranslate2.get_cuda_device_count():
        raise UnavailableError(
            "[stt] device = 'cuda': CTranslate2 sees no card: run `voiced check`, or write 'cpu'"
        )
    try:
        return ctranslate2.models.Whisper(
            str(directory),
            device=device,
            compute_type=_COMPUTE[device],
            inter_threads=1,
            intra_threads=threads,
        )
    except RuntimeError as error:
        raise UnavailableError(
            f"{directory}: CTranslate2 cannot load it on {device} ({_short(error)}): "
            "`voiced models verify`; on a card also `voiced check`"
        ) from None


def _short(error: RuntimeError) -> str:
    """The library's own words, before any call: of files and devices."""
    return str(error).partition("\n")[0][:120]
