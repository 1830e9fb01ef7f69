"""`voiced voices audition`: a sample sentence in a voice of this machine or of Sonic's.

It does not know which voices there are.
"""

import argparse
import asyncio
import json

import numpy as np

from voiced.audio.loudness import integrated_lufs
from voiced.audio.pcm import SPEAKING_HZ, Pcm
from voiced.catalog.store import open_store
from voiced.cli.say import clauses_of
from voiced.cli.sound import Loudspeaker, Wav, voice_of
from voiced.config.settings import Settings
from voiced.config.sonic import SonicVoice
from voiced.errors import ConfigError, UnavailableError
from voiced.flow.cancel import Live, Ticket
from voiced.tts.lexicon_files import read_lexicons
from voiced.tts.sonic.choir import Choir
from voiced.tts.voices import languages
from voiced.words import Words

SAMPLES = {
    "de": "Guten Tag, hier ist die Anmeldung. Wie kann ich Ihnen helfen?",
    "en": "Good morning, this is the reception. How can I help you?",
    "es": "Buenos días, le atiende la recepción. ¿En qué puedo ayudarle?",
    "fr": "Bonjour, ici l'accueil. Comment puis-je vous aider ?",
    "it": "Buongiorno, qui è la reception. Come posso aiutarla?",
    "ja": "おはようございます、受付です。ご用件をどうぞ。",
    "ko": "안녕하세요, 원무과입니다. 무엇을 도와드릴까요?",
    "pt": "Bom dia, aqui é a recepção. Como posso ajudar?",
    "zh": "您好，这里是接待处。请问有什么可以帮您？",  # noqa: RUF001
}
"""What an audition says."""

LUFS = -22.0
"""What the catalogue's gains bring the local voices to."""


def audition(settings: Settings, args: argparse.Namespace) -> int:
    """Says a sentence in the voice; 0. Raises VoicedError."""
    remote = next((one for one in settings.sonic.voices if one.name == args.name), None)
    language = args.lang or _language(settings, args.name, remote)
    text = args.text or SAMPLES.get(language)
    if text is None:
        raise ConfigError(f"there is no sample sentence in {language!r}: write --text")
    clauses = [said.spoken for said in clauses_of([text], language) if said.spoken]
    outlet = Wav(args.out) if args.out else Loudspeaker()
    if remote is not None:
        sound = asyncio.run(_sung(settings, remote, clauses))
    else:
        sound = asyncio.run(voice_of(settings, args.name, language).say(clauses))
    outlet.put(sound)
    found = measured(sound)
    if args.json:
        print(json.dumps({"voice": args.name, "language": language, **found}))
    elif remote is not None:
        gain = remote.gain * 10 ** ((LUFS - found["lufs"]) / 20)
        print(f"{found['lufs']:.1f} LUFS; as loud as the local voices with gain = {gain:.2f}")
    return 0


def measured(sound: Pcm) -> dict[str, float]:
    """How long and how loud it is."""
    seconds = round(len(sound) / SPEAKING_HZ, 3)
    return {"seconds": seconds, "lufs": round(integrated_lufs(sound, SPEAKING_HZ), 1)}


def _language(settings: Settings, name: str, remote: SonicVoice | None) -> str:
    """The one that the voice speaks; of several the first, and English for one that speaks all."""
    if remote is not None:
        return remote.language
    spoken = languages(open_store(settings.models), name)
    return spoken[0] if spoken else "en"


async def _sung(settings: Settings, voice: SonicVoice, clauses: list[str]) -> Pcm:
    """The clauses in a voice of Sonic's. Raises VoicedError."""
    live = Live()
    ticket = Ticket("audition", live.take, live)
    chunks: list[Pcm] = []
    choir = await Choir.open(settings.sonic, {voice.name}, read_lexicons(settings.tts.lexicon_dir))
    try:
        for clause in clauses:
            await choir.voices[voice.name].speak(Words(clause), chunks.append, ticket, first=True)
    finally:
        await choir.close()
    if not chunks:
        raise UnavailableError("there is nothing in the text that can be said")
    return np.concatenate(chunks)
