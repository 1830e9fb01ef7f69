"""Whatever the answers, what `init` writes is read by the daemon without a complaint."""

from pathlib import Path

import pytest

from voiced.catalog.reader import read_catalog
from voiced.catalog.store import Store
from voiced.cli import draft
from voiced.cli.draft import Answers
from voiced.config.reader import read_agent, read_settings
from voiced.daemon.loading import check

pytestmark = pytest.mark.unit

CATALOG = read_catalog()


def answers(**changed: object) -> Answers:
    given: dict[str, object] = {
        "host": "127.0.0.1",
        "public_host": "",
        "production": True,
        "profile": "demo-cpu-kokoro",
        "place": "Larkfield Hospital",
        "language": "en",
        "telephone": "5 5 5, 0 1 2 3",
    }
    return Answers(**{**given, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", sorted(CATALOG.profiles))
@pytest.mark.parametrize("host", ["127.0.0.1", "10.1.2.3"])
@pytest.mark.parametrize("telephone", ["", "5 5 5"])
def test_every_answer_makes_a_configuration_that_is_right(
    tmp_path: Path, profile: str, host: str, telephone: str
) -> None:
    given = answers(
        profile=profile, host=host, telephone=telephone, production=profile != "demo-cpu"
    )
    config = tmp_path / "voiced.toml"
    config.write_text(draft.settings(given, CATALOG, str(tmp_path)))
    (tmp_path / "reception.toml").write_text(draft.agent(given, CATALOG))
    settings, agent = read_settings(config), read_agent(tmp_path / "reception.toml")
    store = Store(CATALOG, tmp_path, production=given.production)

    check([agent], CATALOG.profile(profile), store, settings.sonic)
    assert (host, profile) == (settings.http.host, settings.models.profile)
    assert (host == "127.0.0.1") == (settings.http.keys_file is None)
    assert bool(settings.on_card) == bool(CATALOG.profile(profile).card_gb)


@pytest.mark.parametrize("place", ['"St. Mary\'s"', "back\\slash", "Ward {3}", "세브란스"])
def test_no_name_of_a_place_breaks_the_file(tmp_path: Path, place: str) -> None:
    (tmp_path / "reception.toml").write_text(draft.agent(answers(place=place), CATALOG))

    assert read_agent(tmp_path / "reception.toml").lines["en"].greeting


def test_in_production_only_models_that_allow_it_are_offered() -> None:
    assert "demo-cpu" not in draft.allowed(CATALOG, production=True)
    assert "demo-cpu" in draft.allowed(CATALOG, production=False)


@pytest.mark.parametrize("name", [n for n, p in CATALOG.profiles.items() if p.card_gb])
def test_the_slots_that_are_written_fit_the_card(name: str) -> None:
    """Of models whose cache takes 147 kB a token, as those of 8 billion parameters do."""
    profile = CATALOG.profile(name)
    slots, tokens = draft.CARDS[profile.card_gb]
    models = sum(CATALOG.model(one).memory_mb for one in (profile.stt, profile.llm))
    needed_mb = models * 1.15 + slots * tokens * 147_456 / 1e6 + 3 * 2 * 1074 + 1300

    assert needed_mb * 1.05 < profile.card_gb * 1000
