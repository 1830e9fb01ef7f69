"""llama-server with a slot for each call, for the peer: the same GGUF, threads and context as ours.

    python llm_server.py SITE.json

It does not know who asks.
"""

import json
import sys
import threading
from pathlib import Path

import xllamacpp


def main() -> None:
    site = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    params = xllamacpp.CommonParams()
    params.model.path = site["llm"]
    params.n_parallel = site["slots"]
    params.n_ctx = site["slots"] * site["context_tokens"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = site["threads"]
    params.swa_full = True
    params.use_jinja = True
    params.chat_template = site["template"]
    params.verbosity = -1
    params.port = site["llm_port"]
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
