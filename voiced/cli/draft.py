"""What `voiced init` writes: settings and a first agent, with comments, from a few answers.

Pure: answers in, texts out. It does not know who is asked, or where the files go.
"""

import json
from dataclasses import dataclass

from voiced.catalog.model import Catalog, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """What only the site knows."""

    host: str
    """Address that callers reach; loopback: this machine alone."""
    public_host: str
    """Where a 1:1 NAT stands in front; else empty."""
    production: bool
    profile: str
    place: str
    """Who answers: the hospital, or its ward."""
    language: str
    telephone: str
    """Where people answer; empty: nowhere."""

    @property
    def alone(self) -> bool:
        return self.host in ("127.0.0.1", "::1", "localhost")


CARDS = {0: (4, 4096), 24: (8, 4096), 48: (16, 8192), 80: (32, 8192)}
"""Memory of the card, 10^9 bytes: slots and tokens that fit the profile's models (derived)."""


def settings(answers: Answers, catalog: Catalog, home: str) -> str:
    """voiced.toml; `home` is the folder that it lies in."""
    card_gb = catalog.profile(answers.profile).card_gb
    slots, tokens = CARDS[max(size for size in CARDS if size <= card_gb)]
    device = "cuda" if card_gb else "cpu"
    nat = (
        f"public_host = {_text(answers.public_host)}"
        if answers.public_host
        else ('# public_host = "192.0.2.7"  # what callers are told, behind a 1:1 NAT')
    )
    http = "" if answers.alone else _SECURE.format(home=home)
    return _SETTINGS.format(
        host=_text(answers.host),
        nat=nat,
        http=http,
        profile=_text(answers.profile),
        production=str(answers.production).lower(),
        device=_text(device),
        slots=slots,
        tokens=tokens,
        home=home,
        audit=f'key_file = "{home}/secrets/audit-key"',
    )


def agent(answers: Answers, catalog: Catalog) -> str:
    """agents.d/reception.toml."""
    place = answers.place.replace('"', "'").replace("\\", " ")
    profile = catalog.profile(answers.profile)
    plain = catalog.model(profile.llm).facts.get("template") == "plain"
    told = _text(f"Please call {answers.telephone}.")
    handoff = _HANDOFF.format(line=told) if answers.telephone else _NO_HANDOFF
    flags = _FLAGS if answers.telephone and answers.language == "en" else ""
    return _AGENT.format(
        place=place,
        language=answers.language,
        voice=_text(voice(answers, catalog)),
        stop='stop = ["\\n", "Caller:"]\n' if plain else "",
        prompt=_PLAIN if plain else _TOLD,
        handoff=handoff + flags,
    ).replace("PLACE", place)


def voice(answers: Answers, catalog: Catalog) -> str:
    """The profile's first that speaks the language, and in production may; empty: there is none."""
    for name in catalog.profile(answers.profile).tts:
        model = catalog.model(name)
        spoken = model.facts.get("languages", ())
        if answers.language in spoken and (model.production or not answers.production):
            return name
    return ""


def languages(profile: str, catalog: Catalog) -> list[str]:
    """What the profile both hears and speaks."""
    cast = catalog.profile(profile)
    heard = set(catalog.model(cast.stt).facts.get("languages", ()))
    models = [catalog.model(name) for name in cast.tts]
    spoken = {one for model in models for one in model.facts.get("languages", ())}
    assert all(model.role is Kind.TTS for model in models)
    return sorted(heard & spoken)


def allowed(catalog: Catalog, *, production: bool) -> list[str]:
    """Profiles that may be used: in production each model's licence must allow it."""
    return [
        name
        for name, profile in catalog.profiles.items()
        if not production or all(catalog.model(one).production for one in profile.names)
    ]


def _text(value: str) -> str:
    """As TOML writes it: the escapes of JSON are among its own."""
    return json.dumps(value, ensure_ascii=False)


_SECURE = """\
# Not loopback: callers speak HTTPS, and show a key (`voiced token NAME` makes more of them).
certificate_file = "{home}/tls/tls.crt"
private_key_file = "{home}/tls/tls.key"
keys_file = "{home}/keys.toml"
"""

_SETTINGS = """\
# Written by `voiced init`. Whatever is not here has a default; unknown keys are refused, by name.
# After a change: voiced check --config {home}/voiced.toml, then systemctl restart voiced.

[http]
# Where offers arrive, by TCP.
host = {host}
port = 8080
{http}
[rtc]
# Where the sound of all calls arrives, by UDP: one port.
host = {host}
port = 50000
{nat}

[models]
# `voiced models list` has the profiles; `voiced models pull` fetches one.
profile = {profile}
# Refuses models whose licence does not allow production use.
production = {production}

[stt]
device = {device}

[llm]
device = {device}
# Calls that it holds at once, and tokens of one call's conversation; both cost memory.
slots = {slots}
context_tokens = {tokens}

[tts]
device = {device}

[calls]
agents_dir = "{home}/agents.d"
# Calls at once; one more is answered 503.
max = {slots}

[audit]
# What seals the records of who did what. Keep a copy of it elsewhere.
{audit}
"""

_AGENT = """\
# Who answers. All keys, each with its meaning: voiced/config/agent.py; more agents: docs/agents.md.
name = "reception"
languages = ["{language}"]
# A time, a dose, a number or a name that does not stand in the prompt is not said.
grounding = "line"
{stop}prompt = \"\"\"
{prompt}\"\"\"

[voices]
{language} = {voice}

[lines.{language}]
disclosure = "You are speaking with an automated assistant."
greeting = "{place}. How can I help you?"
not_known = "I do not know that. Please ask at the reception."
fallback = "I am sorry, I did not get that. Could you say it again?"
goodbye = "Thank you for calling. Goodbye."
device_lost = "I am sorry, we have a fault here. Please call again in a few minutes."
red_flag = "This sounds like an emergency. Please hang up and call the emergency number now."
{handoff}"""

_TOLD = """\
You answer calls at the reception of PLACE. Answer in one or two short sentences, in words that
are spoken, not written. You give no medical advice. Say only what stands here; where you do not
know, say so, and offer to have somebody call back. In an emergency the caller must call the
emergency number.
"""

_PLAIN = """\
This is a transcript of calls to the reception of PLACE. The receptionist answers in one or two
short sentences.

Receptionist: PLACE. How can I help you?
Caller: I have chest pain.
Receptionist: Please hang up and call the emergency number right away.

"""

_HANDOFF = """
# Who hears of it when somebody must take over; see docs/handoff.md.
[[handoffs]]
kind = "line"
line = {line}
"""

_FLAGS = """
# Phrases of an emergency: noticed while the caller still speaks.
[red_flags]
en = ["chest pain", "can't breathe", "cannot breathe", "bleeding heavily", "stroke", "kill myself"]
"""

_NO_HANDOFF = """
# Nobody hears of it when somebody must take over: write a target; see docs/handoff.md.
# [[handoffs]]
# kind = "line"
# line = "Please call 5 5 5, 0 1 2 3."
"""
