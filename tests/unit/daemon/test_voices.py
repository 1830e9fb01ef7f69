"""Who speaks for an agent, and who steps in: never a voice that does not speak the language."""

import asyncio
import dataclasses
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from voiced.catalog.model import Profile
from voiced.catalog.store import Store, open_store
from voiced.config.agent import Agent, Lines
from voiced.config.settings import Models, Settings
from voiced.config.sonic import Sonic, SonicVoice
from voiced.daemon import voices
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

LINES = Lines(greeting="a", fallback="b", goodbye="c")
JIA = SonicVoice(name="jia", id="v1", language="ko")
ADA = SonicVoice(name="ada", id="v2", language="en")
SONIC = Sonic(url="http://127.0.0.1:9", voices=(JIA, ADA))
JOE = "piper-en-us-joe"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(Models(dir=tmp_path, production=False))


@pytest.fixture
def profile(store: Store) -> Profile:
    return dataclasses.replace(store.catalog.profile("demo-cpu"), tts=(JOE,))


def agent(**named: str) -> Agent:
    return Agent(
        name="desk",
        languages=tuple(named),
        prompt="-",
        lines=dict.fromkeys(named, LINES),
        voices=named,
    )


def test_nobody_who_speaks_english_steps_in_for_a_korean_voice(
    store: Store, profile: Profile
) -> None:
    assert voices.second(JIA, profile, store) is None
    assert [] == voices.local([agent(ko="jia")], profile, store, SONIC)


def test_the_local_voice_of_the_language_steps_in_and_is_resident(
    store: Store, profile: Profile
) -> None:
    assert (JOE, "en") == voices.second(ADA, profile, store)
    assert [(JOE, "en")] == voices.local([agent(en="ada", ko="jia")], profile, store, SONIC)


def test_a_site_may_name_who_steps_in(store: Store, profile: Profile) -> None:
    """The espeak-ng program speaks Korean, but nothing chooses it by itself."""
    named = Sonic(url=SONIC.url, voices=(dataclasses.replace(JIA, second="espeak-ng"),))

    voices.check(agent(ko="jia"), profile, store, named)
    assert [("espeak-ng", "ko")] == voices.local([agent(ko="jia")], profile, store, named)


def test_an_agent_without_sonic_reaches_nobody(store: Store, profile: Profile) -> None:
    async def main() -> None:
        async with AsyncExitStack() as stack:
            found, presence = await voices.relayed(
                [agent(en=JOE)], {}, profile, store, Settings(sonic=SONIC), stack
            )
            assert ({}, True) == (found, presence.ready)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("named", "sonic", "said"),
    [
        ({"en": "jia"}, SONIC, "voices.en = 'jia': it speaks ko"),
        ({"ko": JOE}, SONIC, f"voices.ko = '{JOE}': it speaks en"),
        ({"en": "nobody"}, SONIC, f"write one of: {JOE}, jia, ada"),
        (
            {"ko": "jia"},
            Sonic(url=SONIC.url, voices=(dataclasses.replace(JIA, second=JOE),)),
            f"second = '{JOE}': it speaks en: choose a voice for 'ko'",
        ),
        (
            {"ko": JOE},
            Sonic(url=SONIC.url, voices=(dataclasses.replace(JIA, name=JOE),)),
            "is a model of the catalogue: rename it",
        ),
    ],
    ids=["other language", "local voice", "unknown", "wrong second", "same name"],
)
def test_a_voice_that_does_not_fit_is_told_with_its_key(
    store: Store, profile: Profile, named: dict[str, str], sonic: Sonic, said: str
) -> None:
    with pytest.raises(ConfigError) as wrong:
        voices.check(agent(**named), profile, store, sonic)

    assert said in str(wrong.value)
