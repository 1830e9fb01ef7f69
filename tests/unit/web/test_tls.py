"""HTTPS: what is shown, what is refused, and a certificate that changes under open connections."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from voiced.config.settings import Http
from voiced.errors import ConfigError
from voiced.ops import metrics
from voiced.web import issuing, tls
from voiced.web.tls import Tls

pytestmark = pytest.mark.unit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def site(folder: Path, name: str = "voice.hospital.example", days: int = 30) -> Http:
    """Files as `voiced cert init` writes them."""
    key = issuing.new_key()
    (folder / "tls.key").write_bytes(issuing.key_pem(key))
    (folder / "tls.crt").write_bytes(issuing.pem(issuing.self_signed(key, [name], days, NOW)))
    return Http(certificate_file=folder / "tls.crt", private_key_file=folder / "tls.key")


def shown(http: Http) -> tls.Shown:
    found = tls.read(http)
    assert found is not None
    return found


def handshake(server: ssl.SSLContext, client: ssl.SSLContext) -> tuple[str | None, bytes | None]:
    """The version that two ends agree on, and the certificate that was shown."""
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    ends = [
        client.wrap_bio(back, there, server_hostname="voice.hospital.example"),
        server.wrap_bio(there, back, server_side=True),
    ]
    while ends[0].version() is None or ends[0].cipher() is None or len(ends) > 1:
        for end in tuple(ends[::-1]):
            try:
                end.do_handshake()
            except ssl.SSLWantReadError:
                continue
            ends = [ends[0]] if end is not ends[0] else ends
        if len(ends) == 1:
            break
    return ends[0].version(), ends[0].getpeercert(binary_form=True)


def anybody() -> ssl.SSLContext:
    client = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    return client


def test_without_files_there_is_no_https() -> None:
    assert None is tls.read(Http())


@pytest.mark.parametrize("only", ["certificate_file", "private_key_file"])
def test_one_file_without_the_other_is_named(tmp_path: Path, only: str) -> None:
    missing = {"certificate_file": "private_key_file", "private_key_file": "certificate_file"}[only]
    with pytest.raises(ConfigError, match=f"http.{missing}: write it too"):
        tls.read(Http(**{only: tmp_path / "x"}))  # type: ignore[arg-type]


def test_files_that_are_wrong_are_told_and_no_key_is_shown(tmp_path: Path) -> None:
    http = site(tmp_path)
    (tmp_path / "other").mkdir()
    other = site(tmp_path / "other")
    assert http.certificate_file is not None
    with pytest.raises(ConfigError, match=r"private_key_file = .*belongs to"):
        tls.read(
            Http(certificate_file=http.certificate_file, private_key_file=other.private_key_file)
        )
    http.certificate_file.write_text("no certificate")
    with pytest.raises(ConfigError, match="write a PEM certificate"):
        tls.read(http)
    http.certificate_file.unlink()
    with pytest.raises(ConfigError, match="No such file"):
        tls.read(http)


def test_a_key_with_a_passphrase_is_refused_and_nobody_is_asked_for_it(tmp_path: Path) -> None:
    http = site(tmp_path)
    assert http.private_key_file is not None
    locked = serialization.BestAvailableEncryption(b"secret")
    key = issuing.read_key(http.private_key_file.read_bytes())
    http.private_key_file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
    )
    with pytest.raises(ConfigError, match="passphrase"):
        tls.read(http)


@pytest.mark.parametrize(
    ("newest", "agreed"),
    [(ssl.TLSVersion.TLSv1_2, "TLSv1.2"), (ssl.TLSVersion.TLSv1_3, "TLSv1.3")],
)
def test_tls_1_2_and_1_3_are_spoken(tmp_path: Path, newest: ssl.TLSVersion, agreed: str) -> None:
    client = anybody()
    client.maximum_version = newest

    assert agreed == handshake(Tls(shown(site(tmp_path))).context, client)[0]


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion.TLSv1_1 is deprecated")
def test_nothing_older_is(tmp_path: Path) -> None:
    client = anybody()
    client.set_ciphers("ALL:@SECLEVEL=0")
    client.minimum_version = client.maximum_version = ssl.TLSVersion.TLSv1_1

    with pytest.raises(ssl.SSLError):
        handshake(Tls(shown(site(tmp_path))).context, client)


def test_a_new_certificate_is_shown_to_new_connections_whatever_its_key(tmp_path: Path) -> None:
    """An RSA key before, an elliptic one after: the old one is nowhere any more."""
    http = site(tmp_path)
    assert http.private_key_file is not None
    assert http.certificate_file is not None
    old = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    http.private_key_file.write_bytes(issuing.key_pem(old))  # type: ignore[arg-type]
    made = issuing.self_signed(old, ["voice.hospital.example"], 30, NOW)  # type: ignore[arg-type]
    http.certificate_file.write_bytes(issuing.pem(made))
    server = Tls(shown(http))
    before = handshake(server.context, anybody())[1]
    server.renew(shown(site(tmp_path)))
    after = handshake(server.context, anybody())[1]

    assert None is not before != after is not None
    assert after == ssl.PEM_cert_to_DER_cert(http.certificate_file.read_text())


def test_days_left_are_a_metric_and_follow_the_certificate(tmp_path: Path) -> None:
    server = Tls(shown(site(tmp_path, days=30)), wall=lambda: NOW + timedelta(days=10))
    gauge = metrics.REGISTRY.get_sample_value

    assert 20 == pytest.approx(server.days_left())
    server.renew(shown(site(tmp_path, days=5)))
    assert -5 == pytest.approx(gauge("voiced_certificate_days_left", {"kind": "https"}) or 0)


def test_its_hosts_and_addresses_are_read_back(tmp_path: Path) -> None:
    key = issuing.new_key()
    names = ["voice.hospital.example", "10.1.2.3", "fd00::1"]
    (tmp_path / "k").write_bytes(issuing.key_pem(key))
    (tmp_path / "c").write_bytes(issuing.pem(issuing.self_signed(key, names, 1, NOW)))
    http = Http(certificate_file=tmp_path / "c", private_key_file=tmp_path / "k")

    assert tuple(names) == shown(http).names


def test_who_is_connected_does_not_notice_the_change(tmp_path: Path) -> None:
    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await reader.readline():
            writer.write(line)
        writer.close()

    async def story() -> bytes:
        server = Tls(shown(site(tmp_path)))
        async with await asyncio.start_server(echo, "127.0.0.1", 0, ssl=server.context) as there:
            port = there.sockets[0].getsockname()[1]
            reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=anybody())
            server.renew(shown(site(tmp_path)))
            writer.write(b"still here\n")
            line = await reader.readline()
            writer.close()
            await writer.wait_closed()
            return line

    assert b"still here\n" == asyncio.run(story())
