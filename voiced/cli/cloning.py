"""`voiced voices clone`: the vendor's cloud makes a voice of a recording of one person.

The recording leaves the site. So it is refused unless the settings name that cloud, which puts it
into the list of what may be reached, and unless there is a note of the speaker's consent, which
stays here. It does not know how a voice is made.
"""

import argparse
import asyncio
import hashlib
import io
import json
import sys
from pathlib import Path

import soundfile

from voiced.audio import file
from voiced.cartesia import api
from voiced.config.egress import destination
from voiced.config.secret import first_line
from voiced.config.settings import Settings
from voiced.errors import ConfigError
from voiced.tts.sonic import roster

SHORTEST_S, LONGEST_S = 5.0, 20.0
"""Of a sample: the vendor asks for about five seconds, and makes no use of more than twenty."""

_SAMPLE_HZ = 24_000


def clone(settings: Settings, args: argparse.Namespace) -> int:
    """Sends the sample and prints what to write into the settings; 0. Raises VoicedError."""
    cloning = settings.sonic.cloning
    if not cloning.url:
        raise ConfigError(
            "sonic.cloning.url is empty, so cloning is refused: the vendor's cloud does it, and "
            "the sample leaves the site; write the cloud's address to allow it"
        )
    consent = _consent(args.consent)
    sample, seconds = _sample(args.sample)
    host = destination(cloning.url, "", "").host
    print(f"voices: the sample ({seconds:.1f} s) leaves this site, to {host}", file=sys.stderr)
    key = first_line(cloning.key_file, "sonic.cloning.key_file") if cloning.key_file else ""
    headers = api.headers(key, settings.sonic.version)
    made = asyncio.run(roster.clone(cloning.url, headers, sample, args.name, args.lang))
    if args.json:
        print(json.dumps({"id": made, "host": host, "consent_sha256": consent}))
        return 0
    print(f"voices: keep the consent (SHA-256 {consent[:16]}) and write into voiced.toml:\n")
    print(f'[[sonic.voices]]\nname = "NAME"\nid = "{made}"\nlanguage = "{args.lang}"\n')
    print("A Sonic of the site's own gets the voice when its operator adds it there.")
    return 0


def _consent(path: Path) -> str:
    """The note's SHA-256, so that it can be told which note belonged to it; raises ConfigError."""
    try:
        note = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"--consent {path}: cannot be read ({error.strerror})") from None
    if len(note.split()) < 3:
        raise ConfigError(f"--consent {path}: write down who agreed, when, and to what")
    return hashlib.sha256(note).hexdigest()


def _sample(path: Path) -> tuple[bytes, float]:
    """The recording as a plain WAV, without the names that files carry along, and its seconds."""
    pcm = file.read(path, _SAMPLE_HZ)
    seconds = len(pcm) / _SAMPLE_HZ
    if not SHORTEST_S <= seconds <= LONGEST_S:
        raise ConfigError(
            f"{path}: {seconds:.1f} s: record {SHORTEST_S:.0f} to {LONGEST_S:.0f} s of one person"
        )
    plain = io.BytesIO()
    soundfile.write(plain, pcm, _SAMPLE_HZ, format="WAV", subtype="PCM_16")
    return plain.getvalue(), seconds
