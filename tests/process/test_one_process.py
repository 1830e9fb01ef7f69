"""The engines' libraries in one process: in whatever order they come, each still works.

Where one of them brings a second copy of another's, the second to load aborts at its first work,
which is with the first caller.
"""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.process, pytest.mark.timeout(120)]

WORK = {
    "onnxruntime": """
from voiced.vad import silero
model = silero.load(models / "silero-vad", {"window_samples": 512, "context_samples": 64})
""",
    "ctranslate2": """
import numpy as np
from voiced.flow.cancel import Live, Take, Ticket
from voiced.stt import windows
from voiced.stt.model import Utterance
from voiced.stt.reader import Reader
facts = windows.read({"languages": ["en"], "window_s": {}, "tokens_per_s": {}})
noise = np.random.default_rng(1).normal(0, 100, 16000).astype(np.int16)
reader = Reader(models / "whisper-base", facts, 1)
reader.read(Utterance(noise, "en"), Ticket("x", Take(0, 0), Live()))
""",
    "llama_cpp": """
from voiced.config.settings import Llm
from voiced.llm import llama
(gguf,) = (models / "gemma-3-270m").glob("*.gguf")
llama.load(gguf, {"template": "plain"}, Llm(slots=1, context_tokens=512)).close()
""",
}
"""Each loads its engine and does one real inference."""

END = """
from voiced.ops import host
print(host.clashes(host.versions(), host.libraries()))
"""


@pytest.mark.parametrize("order", list(itertools.permutations(WORK)), ids="-".join)
def test_in_every_order_each_engine_does_its_work(order: tuple[str, ...], models_dir: Path) -> None:
    imports = "".join(f"import {name}\n" for name in order)
    program = f"from pathlib import Path\nmodels = Path({str(models_dir)!r})\n{imports}"
    program += "".join(WORK[name] for name in order) + END
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=100
    )

    assert (0, "[]") == (done.returncode, done.stdout.strip()), done.stderr[-1000:]
