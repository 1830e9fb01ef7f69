"""Which settings a command uses."""

import argparse
from pathlib import Path

import pytest

from voiced.cli import options
from voiced.cli.options import settings_of, settings_path

pytestmark = pytest.mark.unit


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Where the site's settings and the checkout's would lie; neither is there yet."""
    site, demo = tmp_path / "site.toml", tmp_path / "demo.toml"
    monkeypatch.setattr(options, "SITE", site)
    monkeypatch.setattr(options, "DEMO", demo)
    return site, demo


def given(path: Path | None) -> argparse.Namespace:
    return argparse.Namespace(config=path)


def test_a_named_file_goes_before_all_others(places: tuple[Path, Path]) -> None:
    for place in places:
        place.touch()

    assert Path("mine.toml") == settings_path(given(Path("mine.toml")))


def test_the_site_s_settings_go_before_the_demonstration_s(places: tuple[Path, Path]) -> None:
    site, demo = places
    demo.touch()

    assert demo == settings_path(given(None))

    site.touch()

    assert site == settings_path(given(None))


def test_with_no_file_at_all_the_defaults_hold(places: tuple[Path, Path]) -> None:
    assert 8080 == settings_of(given(None)).http.port
