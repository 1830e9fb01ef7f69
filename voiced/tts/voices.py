"""The voices that run on this machine, by the name that an agent writes and the language.

    piper-en-us-joe      a model of the catalogue
    kokoro/am_michael    one of its speakers
    espeak-ng            the program's own voice, in whichever language is asked for

A model that speaks several languages is loaded once. It does not know agents, nor voices that run
elsewhere.
"""

from voiced.catalog.model import Kind
from voiced.catalog.store import Store
from voiced.config.settings import Tts
from voiced.errors import ConfigError
from voiced.tts import espeak_voice, kokoro, vits
from voiced.tts.lexicon import NO_WORDS
from voiced.tts.lexicon_files import read_lexicons
from voiced.tts.local import Local


class Voices:
    """Loads voices. One thread at a time."""

    def __init__(self, store: Store, settings: Tts) -> None:
        """Reads the site's lexicons. Raises ConfigError."""
        self._store = store
        self._settings = settings
        self._lexicons = read_lexicons(settings.lexicon_dir)
        self._families: dict[str, kokoro.Family] = {}

    def load(self, name: str, language: str) -> Local:
        """A voice, resident but not warm. Raises ConfigError, UnavailableError and Damaged."""
        model, _, speaker = name.partition("/")
        lexicon = self._lexicons.get(language, NO_WORDS)
        if model == espeak_voice.NAME:
            return espeak_voice.load(language, speaker, self._settings, lexicon)
        match self._store.model(model).fact("family", str):
            case "piper":
                return vits.load(self._store, model, self._settings, lexicon, speaker=speaker)
            case "kokoro":
                if model not in self._families:
                    self._families[model] = kokoro.Family(self._store, model, self._settings)
                return self._families[model].voice(language, speaker, lexicon)
            case family:
                raise ConfigError(
                    f"catalog.toml: model {model!r}: facts.family = {family!r}: write 'piper' or "
                    "'kokoro'"
                )


def languages(store: Store, name: str) -> tuple[str, ...] | None:
    """What a voice speaks; None: whatever it is asked for. Raises ConfigError for an unknown name.

    The program's own voice is among them by its name alone: nothing chooses it by itself.
    """
    model_name = name.partition("/")[0]
    if model_name == espeak_voice.NAME:
        return None
    model = store.model(model_name)
    if model.role is not Kind.TTS:
        raise ConfigError(f"catalog.toml: model {model_name!r} is no voice")
    return tuple(str(one) for one in model.fact("languages", list))
