"""A call's check: what it reads, and what it makes of one clause after another."""

import asyncio
import json
from datetime import UTC, datetime

import pytest

from voiced.call.grounding import Check, Kind, Sources
from voiced.llm.model import Message, Role
from voiced.words import Words

pytestmark = pytest.mark.unit


def wall() -> datetime:
    return datetime(2026, 12, 1, 15, 7, tzinfo=UTC)


def check(*history: tuple[Role, str]) -> Check:
    made = Check(Sources("en").site(["We open at eight."]), wall)
    asyncio.run(made.begin([Message(role, Words(text)) for role, text in history]))
    return made


def test_what_the_caller_says_may_be_said_back() -> None:
    made = check((Role.USER, "Can I come at nine?"))

    assert made.withheld("So you come at nine.") is None


def test_what_a_tool_returned_may_be_said() -> None:
    made = check((Role.USER, "When?"), (Role.TOOL, '{"time": "15:30"}'))

    assert made.withheld("At three thirty p m.") is None


def test_what_the_agent_said_is_no_source() -> None:
    made = check((Role.ASSISTANT, "At nine."), (Role.USER, "Really?"))

    assert Kind.TIME is made.withheld("Yes, at nine.")


def test_the_sites_date_and_time_may_be_said() -> None:
    made = check((Role.USER, "What time is it?"))

    assert made.withheld("It is three oh seven p m on December first.") is None


def test_a_dose_that_is_cut_in_two_is_found_in_the_second_part() -> None:
    made = check((Role.USER, "How much?"))

    assert made.withheld("Take four hundred") is None
    assert Kind.DOSE is made.withheld("milligrams of it.")


def test_two_sentences_are_not_read_as_one() -> None:
    made = check((Role.USER, "Where?"))

    assert made.withheld("It is in ward four.") is None
    assert made.withheld("Thirty beds are there.") is None


def test_without_sources_everything_may_be_said() -> None:
    made = Check(None, wall)
    asyncio.run(made.begin([]))

    assert made.withheld("Take four hundred milligrams at nine.") is None


def test_other_calls_go_on_while_a_long_result_is_read() -> None:
    result = json.dumps([{"at": f"2026-01-{day:02}T09:30:00"} for day in range(1, 29)])
    turns: list[int] = []

    async def other() -> None:
        while True:
            turns.append(1)
            await asyncio.sleep(0)

    async def main() -> None:
        made = Check(Sources("en"), wall)
        task = asyncio.get_running_loop().create_task(other())
        await made.begin([Message(Role.TOOL, Words(result))])
        task.cancel()

    asyncio.run(main())

    assert len(turns) >= 28
