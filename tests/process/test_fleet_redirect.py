"""Two nodes: a caller whom the first cannot take is answered by the second, and goes no further."""

import asyncio
from pathlib import Path

import pytest

from tests.process.conftest import Daemon, Serve, settings
from voiced.cli.main import main
from voiced.errors import UnavailableError
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange

pytestmark = [pytest.mark.process, pytest.mark.timeout(90)]


def node(serve: Serve, keys: Path, sister: Daemon | None, key: Path) -> Daemon:
    fleet = f'[fleet]\nsisters = ["{sister.url}"]\nkey_file = "{key}"\n' if sister else ""
    text = settings("max = 1", fleet).replace("[http]", f'[http]\nkeys_file = "{keys}"')
    started = serve(text, fake=True)
    started.wait_for("daemon.ready")
    return started


def test_a_full_node_sends_callers_to_its_sister(
    serve: Serve, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    keys, key = tmp_path / "keys.toml", tmp_path / "watch.key"
    assert 0 == main(["token", "sister", "--right", "operate", "--file", str(keys)])
    key.write_text(capsys.readouterr().out)
    token = key.read_text().strip()
    second = node(serve, keys, None, key)
    first = node(serve, keys, second, key)
    first.wait_for("sister.found", 20)

    async def story() -> list[str | None]:
        exchanges = [HttpExchange(first.url + "/whip", token) for _ in range(2)]
        callers = [Caller("", exchange=exchange) for exchange in exchanges]
        for caller in callers:
            await caller.open()
            assert await caller.until_onset(caller.connected_at, 5.0) is not None
        with pytest.raises(UnavailableError, match="503"):
            await Caller("", exchange=HttpExchange(first.url + "/whip", token)).open()
        places = [exchange._location for exchange in exchanges]
        for caller in callers:
            await caller.close()
        return places

    here, there = asyncio.run(story())

    assert str(here).startswith(first.url + "/whip/")
    assert str(there).startswith(second.url + "/whip/")
    assert [0, 0] == [first.stop(), second.stop()]
