"""What a card does with models of real shapes: compiled and measured there, in under eight minutes.

    --prepare   with network: llama.cpp's sources at the lock's hash, below .setup/device
    --plan      says what would be done; runs nothing, needs no card
    (nothing)   on the card's machine: compiles for its card, writes random weights, measures

    ears        Whisper                  device_ears.py, with the CTranslate2 that is there
    voice       a voice's decoder        device_voice.py, with the onnxruntime-gpu that is there
    configure, compile, write, measure   a language model, with llama.cpp compiled for the card

Each step has its own time, and what it told goes into device.json in $OUT, or bench/out. The
weights are random, so the speeds are real and the words are not. A step whose library is not there
is left out, and the report says so. Standard library only. It does not know the daemon; where .venv
and settings for a card are there, `voiced bench gpu` is run as well.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parents[1]
KEPT = ROOT / ".setup/device"
LOCK = ROOT / "requirements/gpu.txt"
WHOLE_S = 470
"""Of eight minutes, with some to spare."""

DONE, NOT_HERE = "done", "left out: not here"

Q8_0, F32 = 8, 0
_BLOCK = 32
_SCALE = b"\x00\x10"  # 0.00049 as a half: activations stay finite
_ALIGN = 32

_MEASURED = ("-ngl", "99", "-c", "65536", "-b", "2048", "-ub", "512", "-npp", "512,3072")
_MEASURED += ("-ntg", "32", "-npl", "1,4,8,16", "--output-format", "jsonl")
"""Prompts and replies of 1 to 16 calls at once."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A llama of some size."""

    name: str
    layers: int
    width: int
    heads: int
    shared: int
    inner: int
    vocabulary: int

    def tensors(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Names and dimensions, the input's first."""
        cached = self.width // self.heads * self.shared
        yield "token_embd.weight", (self.width, self.vocabulary)
        for layer in range(self.layers):
            block = f"blk.{layer}."
            yield block + "attn_norm.weight", (self.width,)
            yield block + "attn_q.weight", (self.width, self.width)
            yield block + "attn_k.weight", (self.width, cached)
            yield block + "attn_v.weight", (self.width, cached)
            yield block + "attn_output.weight", (self.width, self.width)
            yield block + "ffn_norm.weight", (self.width,)
            yield block + "ffn_gate.weight", (self.width, self.inner)
            yield block + "ffn_up.weight", (self.width, self.inner)
            yield block + "ffn_down.weight", (self.inner, self.width)
        yield "output_norm.weight", (self.width,)
        yield "output.weight", (self.width, self.vocabulary)

    @property
    def file_bytes(self) -> int:
        return sum(_bytes_of(dims) for _, dims in self.tensors())

    @property
    def cell_bytes(self) -> int:
        """Of a token in the cache, in 16 bits."""
        return self.layers * self.width // self.heads * self.shared * 2 * 2


SHAPES = {
    shape.name: shape
    for shape in (
        Shape("tiny", 2, 256, 4, 2, 512, 512),
        Shape("4b", 36, 2560, 32, 8, 9728, 151_936),
        Shape("8b", 36, 4096, 32, 8, 12_288, 151_936),
    )
}


def write(shape: Shape, path: Path) -> None:
    """A GGUF of that shape: random weights in eight bits, and no vocabulary."""
    facts = {
        "general.architecture": "llama",
        "llama.context_length": 8192,
        "llama.embedding_length": shape.width,
        "llama.block_count": shape.layers,
        "llama.feed_forward_length": shape.inner,
        "llama.attention.head_count": shape.heads,
        "llama.attention.head_count_kv": shape.shared,
        "llama.attention.layer_norm_rms_epsilon": 1e-5,
        "llama.rope.dimension_count": shape.width // shape.heads,
        "llama.vocab_size": shape.vocabulary,
        "tokenizer.ggml.model": "no_vocab",
    }
    tensors = list(shape.tensors())
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(facts))
    head += b"".join(_text(key) + _value(value) for key, value in facts.items())
    offset = 0
    for name, dims in tensors:
        kind = F32 if len(dims) == 1 else Q8_0
        head += _text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims)
        head += struct.pack("<IQ", kind, offset)
        offset += _padded(_bytes_of(dims))
    pool = _pool()
    with path.open("wb") as file:
        file.write(head.ljust(_padded(len(head)), b"\0"))
        for _, dims in tensors:
            size = _bytes_of(dims)
            _fill(file, size, pool if len(dims) > 1 else struct.pack("<f", 1.0) * 4096)
            file.write(b"\0" * (_padded(size) - size))


def _bytes_of(dims: tuple[int, ...]) -> int:
    if len(dims) == 1:
        return dims[0] * 4
    return dims[0] * dims[1] // _BLOCK * (2 + _BLOCK)


def _padded(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _value(value: str | int | float) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    return struct.pack("<If", 6, value)


def _pool() -> bytes:
    """Blocks to write from, again and again: the card does not notice."""
    chance = random.Random(1)
    return b"".join(_SCALE + chance.randbytes(_BLOCK) for _ in range(1 << 15))


def _fill(file: BinaryIO, size: int, pool: bytes) -> None:
    for _ in range(size // len(pool)):
        file.write(pool)
    file.write(pool[: size % len(pool)])


def prepare() -> None:
    """The sources of llama.cpp, as the lock has them: fetched, hashed, unpacked."""
    shutil.rmtree(KEPT, ignore_errors=True)
    KEPT.mkdir(parents=True)
    block = re.search(r"(?ms)^llama-cpp-python==(\S+).*?(?=^[a-z])", LOCK.read_text())
    assert block is not None, "the lock names llama-cpp-python"
    hashes = re.findall(r"sha256:([0-9a-f]{64})", block.group(0))
    pip = [str(ROOT / ".venv/bin/python"), "-m", "pip", "-q", "--disable-pip-version-check"]
    pip += ["download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation"]
    subprocess.run([*pip, "-d", str(KEPT), f"llama-cpp-python=={block.group(1)}"], check=True)
    (archive,) = KEPT.glob("*.tar.gz")
    if hashlib.sha256(archive.read_bytes()).hexdigest() not in hashes:
        sys.exit(f"device: {archive}: is not what {LOCK.name} says")
    with tarfile.open(archive) as packed:
        packed.extractall(KEPT, filter="data")
    (found,) = KEPT.glob("*/vendor/llama.cpp")
    found.rename(KEPT / "llama.cpp")
    for gone in (archive, found.parents[1]):
        shutil.rmtree(gone) if gone.is_dir() else gone.unlink()
    for spare in ("models", "docs", "tests", "media", "examples", "gguf-py", "benches"):
        shutil.rmtree(KEPT / "llama.cpp" / spare, ignore_errors=True)
    print(f"{KEPT}: ready; carry it along with the checkout")


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that is done there."""

    name: str
    most_s: int
    command: tuple[str, ...]


def steps(shape: Shape, work: Path, architecture: str) -> list[tuple[Step, ...]]:
    """What is done, in order; of each tuple, later ones need what earlier ones made."""
    build, model = work / "build", work / f"{shape.name}.gguf"
    scripts = Path(__file__).parent
    ears = (str(_python()), str(scripts / "device_ears.py"), str(work / "ears"))
    voice = (str(_python()), str(scripts / "device_voice.py"), str(work / "voice.onnx"))
    cores = str(os.cpu_count() or 1)
    flags = ("-DGGML_CUDA=ON", f"-DCMAKE_CUDA_ARCHITECTURES={architecture}-real")
    flags += ("-DGGML_NATIVE=ON", "-DLLAMA_CURL=OFF", "-DLLAMA_BUILD_TESTS=OFF")
    flags += ("-DLLAMA_BUILD_SERVER=OFF", "-DLLAMA_BUILD_EXAMPLES=OFF", "-DLLAMA_BUILD_TOOLS=ON")
    flags += ("-DCMAKE_BUILD_TYPE=Release",)
    source = str(KEPT / "llama.cpp")
    bench = str(build / "bin/llama-batched-bench")
    compiled = ("cmake", "--build", str(build), "-j", cores, "--target", "llama-batched-bench")
    written = (sys.executable, __file__, "--write", str(model), "--shape", shape.name)
    return [
        (Step("ears", 50, ears),),
        (Step("voice", 30, voice),),
        (
            Step("configure", 20, ("cmake", "-S", source, "-B", str(build), *flags)),
            Step("compile", 260, compiled),
            Step("write", 45, written),
            Step("measure", 65, (bench, "-m", str(model), *_MEASURED)),
        ),
    ]


def _python() -> Path:
    """Whose packages are tried: the program's where they are installed, else this machine's."""
    own = ROOT / ".venv/bin/python"
    return own if own.exists() else Path(sys.executable)


def _environment() -> dict[str, str]:
    """With CUDA's libraries as they come in packages, which engines open by name."""
    told = subprocess.run(
        [_python(), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    found = sorted(map(str, Path(told.stdout.strip()).glob("nvidia/*/lib")))
    given = os.environ.get("LD_LIBRARY_PATH")
    return {**os.environ, "LD_LIBRARY_PATH": ":".join([*found, *([given] if given else [])])}


def run(shape: Shape) -> int:
    """0 when every step was done. What could not be is said, and the rest is done all the same."""
    out = Path(os.environ.get("OUT") or ROOT / "bench/out")
    out.mkdir(parents=True, exist_ok=True)
    work = out / "device-work"
    card = _asked(
        "nvidia-smi",
        "--query-gpu=name,driver_version,compute_cap,memory.total",
        "--format=csv,noheader",
    )
    if card is None:
        print("device: nvidia-smi shows no card: this needs one (--plan does not)", file=sys.stderr)
        return 69
    report: dict[str, object] = {
        "card": card,
        "nvcc": _asked("nvcc", "--version"),
        "shape": shape.name,
    }
    if not (KEPT / "llama.cpp").is_dir():
        print(
            f"device: {KEPT} is not there: scripts/device --prepare, with network", file=sys.stderr
        )
        return 69
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    began = time.monotonic()
    architecture = card.splitlines()[0].split(", ")[2].replace(".", "")
    well = True
    for linked in steps(shape, work, architecture):
        for step in linked:
            left = WHOLE_S - (time.monotonic() - began)
            done = _done(step, min(step.most_s, left), work)
            report[step.name] = done
            print(f"{step.name:10} {done['seconds']:6.1f} s  {done['ended']}")
            if done["ended"] != DONE:
                well = well and done["ended"] == NOT_HERE
                break
    report["bench_gpu"] = _bench_gpu(WHOLE_S - (time.monotonic() - began))
    (out / "device.json").write_text(json.dumps(report, indent=1) + "\n")
    shutil.rmtree(work)
    print(f"{out / 'device.json'}")
    return 0 if well else 1


def _done(step: Step, most_s: float, work: Path) -> dict[str, object]:
    log = work / f"{step.name}.log"
    began, ended = time.monotonic(), DONE
    try:
        with log.open("wb") as told:
            subprocess.run(
                step.command,
                stdout=told,
                stderr=subprocess.STDOUT,
                env=_environment(),
                timeout=max(most_s, 1),
                check=True,
            )
    except subprocess.TimeoutExpired:
        ended = f"took longer than {most_s:.0f} s"
    except subprocess.CalledProcessError as error:
        left_out = error.returncode == os.EX_UNAVAILABLE
        ended = NOT_HERE if left_out else f"failed with {error.returncode}"
    except OSError as error:
        ended = f"cannot be run ({error.strerror})"
    text = log.read_text(errors="replace") if log.exists() else ""
    rows = [json.loads(line) for line in text.splitlines() if line.startswith('{"')]
    tail = rows or text.splitlines()[-15:]
    return {"seconds": round(time.monotonic() - began, 1), "ended": ended, "told": tail}


def _bench_gpu(left_s: float) -> object:
    """`voiced bench gpu`, by the settings that VOICED_CONFIG names; else why not."""
    voiced, config = ROOT / ".venv/bin/voiced", os.environ.get("VOICED_CONFIG")
    if not voiced.exists() or not config:
        return "not run: it needs .venv from requirements/gpu.txt, and VOICED_CONFIG=settings.toml"
    command = [str(voiced), "bench", "gpu", "--json", "--config", config]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=max(left_s, 1))
    except subprocess.TimeoutExpired:
        return "not run to its end: no time was left"
    return json.loads(told.stdout) if told.returncode == 0 else told.stderr[-1000:]


def _asked(*command: str) -> str | None:
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return told.stdout.strip() or None


def plan(shape: Shape) -> None:
    """What would be done."""
    size, cell = shape.file_bytes / 1e9, shape.cell_bytes
    print(f"{shape.name}: {size:.2f} GB of weights, {cell} bytes a token in the cache")
    for step in chain.from_iterable(steps(shape, Path("$OUT/device-work"), "NN")):
        print(f"{step.name:10} at most {step.most_s:3} s  {' '.join(step.command)}")
    print(
        f"{'bench gpu':10} in what is left of {WHOLE_S} s, where .venv and VOICED_CONFIG are there"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="device", description="checks that need a card")
    parser.add_argument("--shape", choices=sorted(SHAPES), default="8b", help="of the model (8b)")
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--prepare", action="store_true", help="fetch the sources, with network")
    ways.add_argument("--plan", action="store_true", help="say what would be done")
    ways.add_argument("--write", type=Path, metavar="FILE", help="write such a model, and no more")
    args = parser.parse_args()
    shape = SHAPES[args.shape]
    if args.prepare:
        prepare()
    elif args.plan:
        plan(shape)
    elif args.write is not None:
        write(shape, args.write)
    else:
        return run(shape)
    return 0


if __name__ == "__main__":
    sys.exit(main())
