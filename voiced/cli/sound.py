"""A voice of the catalogue for one command, and where its sound goes: a file or the loudspeaker.

It does not know clauses, calls or agents.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import sounddevice
import soundfile

from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.catalog.model import Kind
from voiced.catalog.store import Store, open_store
from voiced.config.settings import Settings, Tts
from voiced.errors import UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.tts import espeak_voice
from voiced.tts.voices import Voices, languages
from voiced.words import Words


@dataclass(frozen=True, slots=True)
class Chosen:
    """A voice that has not been loaded yet."""

    name: str
    language: str
    store: Store
    settings: Tts

    async def say(self, clauses: Sequence[str]) -> Pcm:
        """The clauses one behind the other, at SPEAKING_HZ. Raises VoicedError."""
        live = Live()
        ticket = Ticket("say", live.take, live)
        chunks: list[Pcm] = [np.zeros(0, np.int16)]
        voice = Voices(self.store, self.settings).load(self.name, self.language)
        try:
            await voice.warm()
            for index, clause in enumerate(clauses):
                await voice.speak(Words(clause), chunks.append, ticket, first=not index)
        finally:
            voice.close()
        return np.concatenate(chunks)

    @staticmethod
    def seconds(sound: Pcm) -> float:
        """How long the sound lasts."""
        return len(sound) / SPEAKING_HZ


@dataclass(frozen=True, slots=True)
class Wav:
    """A WAV file, mono, at SPEAKING_HZ."""

    path: Path

    def put(self, sound: Pcm) -> None:
        """Writes it. Raises UnavailableError."""
        try:
            soundfile.write(str(self.path), sound, SPEAKING_HZ, format="WAV", subtype="PCM_16")
        except (soundfile.LibsndfileError, OSError):
            raise UnavailableError(f"{self.path}: cannot be written") from None


class Loudspeaker:
    """The default output of this machine."""

    def put(self, sound: Pcm) -> None:
        """Plays it to its end. Raises UnavailableError: there is none."""
        try:
            sounddevice.play(sound, SPEAKING_HZ, blocking=True)
        except sounddevice.PortAudioError:
            raise UnavailableError("no loudspeaker on this machine: write --out F.wav") from None


def voice_of(settings: Settings, name: str | None, language: str) -> Chosen:
    """The voice of that name, else the profile's voice for the language.

    Raises UnavailableError when the profile has none, ConfigError for an unknown name.
    """
    store = open_store(settings.models)
    tongue = language.partition("-")[0]
    if name is not None:
        languages(store, name)
        return Chosen(name, tongue, store, settings.tts)
    profile = store.catalog.profile(settings.models.profile)
    for one in profile.tts:
        if tongue in (languages(store, one) or ()):
            return Chosen(one, tongue, store, settings.tts)
    names = [m.name for m in store.catalog.models if m.role is Kind.TTS]
    raise UnavailableError(
        f"profile {settings.models.profile!r} has no voice for {language!r}: write --voice with one"
        f" of {', '.join([*names, espeak_voice.NAME])}, or --explain to see the text only"
    )
