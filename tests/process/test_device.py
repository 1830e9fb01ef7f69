"""scripts/device, as far as it goes without a card: what it would do, and what it writes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]

LOADS = """
import sys
import llama_cpp as llama
from voiced.llm import native
native.load_backends()
llama.llama_log_set(native._DROP, None)
llama.llama_backend_init()
model = llama.llama_model_load_from_file(sys.argv[1].encode(), llama.llama_model_default_params())
settings = llama.llama_context_default_params()
settings.n_ctx = 256
context = llama.llama_init_from_model(model, settings)
tokens = (llama.llama_token * 4)(1, 2, 3, 4)
code = llama.llama_decode(context, llama.llama_batch_get_one(tokens, 4))
finite = all(abs(llama.llama_get_logits_ith(context, -1)[n]) < 1e9 for n in range(512))
print(code, finite)
"""


def device(*words: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [str(ROOT / "scripts/device"), *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )


def test_it_says_what_it_would_do_and_stays_below_eight_minutes() -> None:
    told = device("--plan").stdout
    seconds = [int(line.split("at most")[1].split()[0]) for line in told.splitlines()[1:5]]

    assert "8b: 8.70 GB of weights, 147456 bytes a token" in told
    assert sum(seconds) < 480


def test_a_model_that_it_writes_is_loaded_and_computes(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    assert 0 == device("--shape", "tiny", "--write", str(path)).returncode
    told = subprocess.run(
        [sys.executable, "-c", LOADS, str(path)], capture_output=True, text=True, timeout=60
    )

    assert "0 True" == told.stdout.strip(), told.stderr[-500:]


def test_without_a_card_it_says_so_and_leaves_nothing(tmp_path: Path) -> None:
    """A PATH without nvidia-smi is a machine without a card."""
    (tmp_path / "bin").mkdir()
    for program in ("bash", "env", "dirname"):
        (tmp_path / "bin" / program).symlink_to(str(shutil.which(program)))
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    told = device(PATH=str(tmp_path / "bin"), OUT=str(tmp_path / "out"))

    assert 69 == told.returncode
    assert "shows no card" in told.stderr
    assert not (tmp_path / "out/device.json").exists()
    assert not (tmp_path / "out/device-work").exists()
