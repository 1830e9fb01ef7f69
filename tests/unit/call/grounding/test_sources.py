"""What may be said: `tests/data/grounding_*.tsv`, and what those cannot show."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from voiced.call.grounding import Kind, Sources, sources_of
from voiced.config.agent import Agent, Lines
from voiced.tts.spoken import speak

pytestmark = pytest.mark.unit

DATA = Path(__file__).parents[3] / "data"


@dataclass(frozen=True, slots=True)
class Row:
    wanted: str
    clause: str
    told: str


def rows(language: str) -> tuple[Sources, list[Row]]:
    """The invented hospital's own words, and the clauses."""
    prompt, found = [], []
    name = {"en": "english", "ko": "korean"}[language]
    for line in (DATA / f"grounding_{name}.tsv").read_text(encoding="utf-8").splitlines():
        if line.startswith("> "):
            prompt.append(line[2:])
        elif line and not line.startswith("#"):
            wanted, clause, told = (*line.split("\t"), "")[:3]
            found.append(Row(wanted, clause, told))
    return Sources(language).site(prompt), found


def kinds(sources: Sources, row: Row) -> tuple[Kind, ...]:
    told = sources.told(row.told) if row.told else sources
    return told.ungrounded(speak(row.clause, sources.language))


@pytest.mark.parametrize(("language", "least"), [("en", 220), ("ko", 85)])
def test_what_was_told_is_spoken(language: str, least: int) -> None:
    sources, found = rows(language)
    honest = [row for row in found if row.wanted == "-"]

    assert len(honest) >= least
    assert [] == [row.clause for row in honest if kinds(sources, row)]


@pytest.mark.parametrize(("language", "least"), [("en", 140), ("ko", 50)])
def test_what_nobody_told_is_withheld(language: str, least: int) -> None:
    sources, found = rows(language)
    invented = [row for row in found if row.wanted in set(Kind)]

    assert len(invented) >= least
    assert [] == [row.clause for row in invented if row.wanted not in kinds(sources, row)]


def test_what_slips_through_is_known() -> None:
    sources, found = rows("en")

    assert [] == [row for row in found if row.wanted.startswith("?") and kinds(sources, row)]


def test_every_kind_of_claim_is_shown_in_both_languages() -> None:
    assert {*Kind} <= {row.wanted for row in rows("en")[1]}
    assert {*Kind} <= {row.wanted for row in rows("ko")[1]}


def test_a_half_of_the_day_that_is_wrong_is_withheld() -> None:
    sources = Sources("en").told("three in the afternoon")

    assert () == sources.ungrounded("at three")
    assert (Kind.TIME,) == sources.ungrounded("at three a m")


def test_every_value_of_a_result_may_be_said_however_deep_it_stands() -> None:
    result = json.dumps({"found": [{"doctor": {"name": "Haddad"}, "at": "2026-06-09T14:30:00Z"}]})
    sources = Sources("en").told(result)

    assert () == sources.ungrounded("Doctor Haddad, June ninth, at two thirty p m.")


def test_a_result_that_is_no_json_is_read_as_it_is() -> None:
    assert () == Sources("en").told("booked for 14:30 {").ungrounded("at fourteen thirty.")


def agent(grounding: str) -> Agent:
    lines = Lines(
        greeting="Hello.",
        fallback="Sorry?",
        goodbye="Bye.",
        red_flag="Call 9 1 1 now.",
        not_known="I do not know.",
    )
    return Agent(
        name="ava",
        languages=("en",),
        prompt="We open at 8.",
        lines={"en": lines},
        voices={"en": "v"},
        hotwords=("Haddad",),
        grounding=grounding,  # type: ignore[arg-type]  # one of the three words
    )


def test_an_agents_lines_and_hotwords_are_sources() -> None:
    sources = sources_of(agent("line"), "en")

    assert sources is not None
    assert () == sources.ungrounded("Doctor Haddad is in at eight; or call nine one one.")
    assert (Kind.NAME, Kind.PHONE) == tuple(
        sorted(sources.ungrounded("Ask for Doctor Lindqvist, or call one one two."))
    )


def test_an_agent_whose_replies_need_no_source_has_none() -> None:
    assert sources_of(agent("off"), "en") is None
