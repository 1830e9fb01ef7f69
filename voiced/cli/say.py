"""`voiced say`: what the voice would say, as text or as sound.

The text goes the way of a reply: cleaning, clauses, spoken forms. With --explain it ends there, and
no model, setting or voice is looked at. It does not know how any of the steps works.
"""

import argparse
import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from voiced.cli.options import Parser, Verbs, add_config, settings_of
from voiced.errors import UnavailableError
from voiced.llm.clauses import Clauses
from voiced.llm.cleaning import Cleaner
from voiced.tts.spoken import speak


@dataclass(frozen=True, slots=True)
class Said:
    """A clause as the model wrote it, and as the voice gets it."""

    text: str
    spoken: str


def add(verbs: Verbs) -> None:
    """The verb and its options."""
    parser: Parser = verbs.add_parser("say", help="what the voice would say")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="a reply, as a model writes it")
    parser.add_argument("--tokens", type=Path, metavar="F.json", help="a list of strings instead")
    parser.add_argument(
        "--lang", default="en", metavar="L", help="en, ko, ... or en-GB (default en)"
    )
    parser.add_argument("--voice", metavar="V", help="a voice of the catalogue")
    parser.add_argument("--out", type=Path, metavar="F.wav", help="write it instead of playing it")
    parser.add_argument("--explain", action="store_true", help="only show clauses and spoken forms")
    parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
    add_config(parser)
    parser.set_defaults(usage=parser.error)


def run(args: argparse.Namespace) -> int:
    """0. Raises VoicedError for the dispatcher; leaves by SystemExit (64) on a usage error."""
    said = clauses_of(_pieces(args), args.lang)
    shown = {"clauses": [{"text": one.text, "spoken": one.spoken} for one in said]}
    if args.explain:
        print(json.dumps(shown, ensure_ascii=False, indent=None if args.json else 1))
        return 0
    found = _speak([one.spoken for one in said], args)
    if args.json:
        print(json.dumps(shown | found, ensure_ascii=False))
    return 0


def clauses_of(pieces: Sequence[str], language: str) -> list[Said]:
    """The pieces of a reply through cleaning, clauses and spoken forms; what leaves no word to say
    is left out. Pure."""
    cleaner, splitter = Cleaner(), Clauses(language)
    clauses: list[str] = []
    for piece in pieces:
        clauses += splitter.feed(cleaner.feed(piece))
    clauses += splitter.feed(cleaner.end())
    clauses += splitter.end()
    said = (Said(clause, speak(clause, language)) for clause in clauses)
    return [one for one in said if one.spoken]


def _pieces(args: argparse.Namespace) -> list[str]:
    refuse: Callable[[str], NoReturn] = args.usage
    if (args.text is None) == (args.tokens is None):
        refuse("write either TEXT or --tokens F.json")
    if args.tokens is None:
        return [args.text]
    tokens = _json(args.tokens)
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        refuse(f"--tokens {args.tokens}: write a JSON list of strings")
    return tokens


def _json(path: Path) -> object:
    """What the file holds; nothing when it is no JSON. Raises UnavailableError."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnavailableError(f"{path}: cannot be read ({error.strerror})") from None
    except ValueError:
        return None


def _speak(clauses: list[str], args: argparse.Namespace) -> dict[str, object]:
    """Makes the sound, and writes or plays it. The engine is only loaded here."""
    from voiced.cli.sound import Loudspeaker, Wav, voice_of

    settings = settings_of(args)
    voice = voice_of(settings, args.voice, args.lang)
    sound = asyncio.run(voice.say(clauses))
    outlet = Wav(args.out) if args.out else Loudspeaker()
    outlet.put(sound)
    return {
        "voice": voice.name,
        "seconds": round(voice.seconds(sound), 3),
        "out": str(args.out or ""),
    }
