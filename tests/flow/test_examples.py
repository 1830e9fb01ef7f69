"""Every example that a site may copy is one that the daemon takes."""

from pathlib import Path

import pytest

from voiced.catalog.store import open_store
from voiced.config.agent import Agent
from voiced.config.reader import default_agent, read_agents, read_settings
from voiced.daemon import loading
from voiced.tts.lexicon_files import read_lexicons
from voiced.turn.redflag import RedFlags
from voiced.words import Words

pytestmark = pytest.mark.flow

EXAMPLES = Path(__file__).parents[2] / "docs/examples"
CLINICAL = {
    "hospital-reception",
    "hospital-reception-ko",
    "telemedicine-intake",
    "telemedicine-intake-ko",
    "discharge-follow-up",
}


def gallery() -> dict[str, Agent]:
    return read_agents(EXAMPLES / "gallery", EXAMPLES / "gallery.toml")


@pytest.mark.parametrize("name", ["demo", "gallery"])
def test_settings_and_their_agents_are_read(name: str) -> None:
    path = EXAMPLES / f"{name}.toml"
    settings = read_settings(path)
    agents = read_agents(settings.calls.agents_dir, path)

    assert default_agent(agents, settings.calls.default_agent).name in agents


def test_every_agent_says_that_it_is_a_machine_and_has_somebody_to_hand_off_to() -> None:
    for agent in gallery().values():
        assert agent.handoffs, agent.name
        for lines in agent.lines.values():
            assert lines.disclosure, agent.name


def test_the_clinical_ones_need_sources_and_know_emergencies() -> None:
    agents = gallery()

    assert CLINICAL <= agents.keys()
    for name in CLINICAL:
        agent = agents[name]
        assert agent.grounding != "off", name
        assert agent.red_flags.keys() >= set(agent.languages), name
        assert all(lines.red_flag and lines.not_known for lines in agent.lines.values()), name


@pytest.mark.parametrize(
    "said",
    [
        "I have chest pain",
        "my chest really hurts",
        "he can not breathe",
        "she won't wake up",
        "I took too many pills",
        "I want to die",
    ],
)
def test_the_front_desk_knows_an_emergency_however_it_is_put(said: str) -> None:
    phrases = gallery()["hospital-reception"].red_flags["en"]

    assert RedFlags(phrases).raised_by(Words(said))


@pytest.mark.parametrize(
    "said", ["가슴이 너무 아픕니다", "숨을 못 쉬겠어요", "아버지가 쓰러지셨어요", "피가 안 멈춰요"]
)
def test_so_does_the_korean_one(said: str) -> None:
    phrases = gallery()["hospital-reception-ko"].red_flags["ko"]

    assert RedFlags(phrases).raised_by(Words(said))


@pytest.mark.parametrize(
    "said", ["When can I visit?", "I have an appointment", "Where is the chest clinic?"]
)
def test_an_ordinary_question_is_no_emergency(said: str) -> None:
    phrases = gallery()["hospital-reception"].red_flags["en"]

    assert not RedFlags(phrases).raised_by(Words(said))


def test_the_lexicon_is_read() -> None:
    assert {"en", "ko"} == read_lexicons(EXAMPLES / "gallery/lexicon.d").keys()


def test_the_demonstrations_voices_speak_every_language_of_theirs() -> None:
    settings = read_settings(EXAMPLES / "gallery.toml")
    store = open_store(settings.models)
    profile = store.catalog.profile(settings.models.profile)

    loading.check(gallery().values(), profile, store, settings.sonic)
