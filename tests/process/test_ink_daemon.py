"""A daemon with Ink in front of its own recogniser, and a caller who outlives it."""

import asyncio
from pathlib import Path

import pytest

from tests.process.conftest import ROOT, Daemon, Serve, settings
from voiced.testing.caller import Caller
from voiced.testing.ink import WORDS, FakeInk
from voiced.testing.script import converse

pytestmark = [pytest.mark.process, pytest.mark.timeout(150)]

QUESTION = ROOT / "tests/data/question_visiting_hours.wav"


async def talk(daemon: Daemon) -> str:
    """What the daemon heard of a question."""
    report = await converse(Caller(daemon.calls_url), [Path(QUESTION)])
    return report.turns[0].heard


def test_a_daemon_reads_its_callers_with_ink_and_goes_on_without_it(serve: Serve) -> None:
    """The same question twice: with Ink, and after it has died."""

    async def main() -> tuple[str, str]:
        async with FakeInk() as fake:
            tables = f'[ink]\nurl = "{fake.url}"\nfinal_deadline_ms = 5000\n'
            daemon = serve(settings(tables=tables))
            await asyncio.to_thread(daemon.wait_for, "daemon.ready")
            with_ink = await talk(daemon)
            assert 1 == len(fake.journal.queries)
        without = await talk(daemon)
        assert 0 == await asyncio.to_thread(daemon.stop)
        return with_ink, without

    with_ink, without = asyncio.run(asyncio.wait_for(main(), 120))

    assert set(WORDS) >= set(with_ink.casefold().rstrip(".").split()) != set()
    assert "visit my father" in without
