"""scripts/device, as far as it goes without a card: what it would do, and what it writes."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

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
    seconds = [int(found) for found in re.findall(r"(?m)^\w+ +at most +(\d+) s", told)]

    assert "8b: 8.70 GB of weights, 147456 bytes a token" in told
    assert (6, True) == (len(seconds), sum(seconds) < 480)


def test_a_model_that_it_writes_is_loaded_and_computes(tmp_path: Path) -> None:
    path = tmp_path / "tiny.gguf"
    assert 0 == device("--shape", "tiny", "--write", str(path)).returncode
    told = subprocess.run(
        [sys.executable, "-c", LOADS, str(path)], capture_output=True, text=True, timeout=60
    )

    assert "0 True" == told.stdout.strip(), told.stderr[-500:]


@pytest.mark.parametrize(
    ("step", "place", "told"),
    [("ears", "ears", "token_ms"), ("voice", "voice.onnx", "decode_44_frames_ms")],
)
def test_a_model_of_each_other_stage_is_written_and_does_one_work(
    tmp_path: Path, step: str, place: str, told: str
) -> None:
    program = str(ROOT / f"scripts/device_{step}.py")
    command = [sys.executable, program, str(tmp_path / place), "--shape", "tiny", "--on", "cpu"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)

    assert 0 == done.returncode, done.stderr[-500:]
    assert json.loads(done.stdout)[told] > 0


CMAKE = """#!/bin/sh
[ "$1" = --build ] || exit 0
mkdir -p "$2/bin"
cat > "$2/bin/llama-batched-bench" <<'END'
#!/bin/sh
echo '{"speed": 1}'
END
chmod +x "$2/bin/llama-batched-bench"
"""
CARD = "#!/bin/sh\necho 'A card, 580.1, 9.0, 81559 MiB'\n"


def test_a_stage_that_cannot_run_there_is_left_out_and_the_others_are_measured(
    tmp_path: Path,
) -> None:
    """A card's driver and a compiler that are scripts of ours; no engine sees a card."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / ".setup/device/llama.cpp").mkdir(parents=True)
    for name, text in (("cmake", CMAKE), ("nvidia-smi", CARD), ("nvcc", "#!/bin/sh\n")):
        (tmp_path / "bin" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    (tmp_path / "bin/python3").symlink_to(sys.executable)
    path = f"{tmp_path / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        [str(tmp_path / "scripts/device"), "--shape", "tiny"],
        env={**os.environ, "PATH": path, "OUT": str(tmp_path / "out")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    report = json.loads((tmp_path / "out/device.json").read_text())
    ended = {name: step["ended"] for name, step in report.items() if isinstance(step, dict)}

    assert 0 == done.returncode, done.stderr[-500:]
    assert {"left out: not here"} == {ended.pop("ears"), ended.pop("voice")}
    assert dict.fromkeys(("configure", "compile", "write", "measure"), "done") == ended
    assert [{"speed": 1}] == report["measure"]["told"]


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
