"""HTTPS from outside: a call through it, and a certificate that changes under a live call."""

import asyncio
import signal
import ssl
from pathlib import Path

import pytest

from tests.process.conftest import Daemon, Serve, settings
from voiced.cli.main import main
from voiced.testing.caller import Caller
from voiced.testing.exchange import HttpExchange

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with a certificate for loopback."""
    make(tmp_path)
    return tmp_path


def make(folder: Path) -> None:
    for name in ("tls.key", "tls.crt"):
        (folder / name).unlink(missing_ok=True)
    assert 0 == main(["cert", "init", "--name", "127.0.0.1", "--dir", str(folder)])


def serving(serve: Serve, site: Path, more: str = "") -> Daemon:
    files = f'certificate_file = "{site}/tls.crt"\nprivate_key_file = "{site}/tls.key"\n'
    daemon = serve(settings().replace("[http]", f"[http]\n{files}{more}"), fake=True)
    daemon.wait_for("daemon.ready")
    return daemon


def url(daemon: Daemon) -> str:
    return daemon.url.replace("http:", "https:")


def shown(daemon: Daemon) -> str:
    """The certificate that a new connection sees."""
    port = daemon.wait_for("daemon.ready")["http_port"]
    return ssl.get_server_certificate(("127.0.0.1", port))


def test_a_call_over_https_outlives_a_new_certificate(serve: Serve, site: Path) -> None:
    daemon = serving(serve, site)
    before = shown(daemon)

    async def story() -> bool:
        tls = ssl.create_default_context(cafile=str(site / "tls.crt"))
        caller = Caller("", exchange=HttpExchange(url(daemon) + "/whip", tls=tls))
        await caller.open()
        make(site)
        tls.load_verify_locations(site / "tls.crt")
        daemon.process.send_signal(signal.SIGHUP)
        await asyncio.to_thread(daemon.wait_for, "reload.done", 10)
        heard = len(caller.heard().at)
        await asyncio.sleep(0.5)
        alive = not caller.over and len(caller.heard().at) > heard
        await caller.close()
        return alive

    assert asyncio.run(story())
    assert before != shown(daemon) == (site / "tls.crt").read_text()
    assert "hangup" == daemon.wait_for("call.closed", 10)["reason"]
    assert 0 == daemon.stop()
