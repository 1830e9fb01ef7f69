"""llama.cpp through its C interface: weights, context, batch, vocabulary, sampler chains.

The only module that imports llama_cpp. One thread at a time may use a `Context`; a `Vocabulary` may
be used by any. It does not know calls, prompts or schedules.
"""

import ctypes
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import llama_cpp as llama
import numpy as np
import numpy.typing as npt

from voiced import clock
from voiced.config.agent import Sampling
from voiced.config.settings import Device
from voiced.errors import EngineFailed, UnavailableError
from voiced.llm.batch import Mask, Run, State
from voiced.llm.sampling import Candidates, likeliest
from voiced.llm.threads import Threads

Floats = npt.NDArray[np.float32]

_NEVER = np.float32("-inf")

# llama.cpp may quote a prompt in its log, so all of it is dropped; ctypes needs the object to live
_DROP = llama.llama_log_callback(lambda _level, _text, _data: None)


class Weights:
    """A model file in memory, with its vocabulary."""

    def __init__(self, path: Path, device: Device = "cpu") -> None:
        """On a card all layers lie there, or none. Raises UnavailableError: llama.cpp does not take
        the file, or has no card."""
        llama.llama_log_set(_DROP, None)
        load_backends()
        llama.llama_backend_init()
        self.device = device
        if device == "cuda" and not llama.llama_supports_gpu_offload():
            raise UnavailableError(
                "[llm] device = 'cuda': llama.cpp sees no card: install the wheel that "
                "`scripts/llama-wheel --cuda` makes, run `voiced check`, or write 'cpu'"
            )
        settings = llama.llama_model_default_params()
        settings.n_gpu_layers = -1 if device == "cuda" else 0
        self.pointer = llama.llama_model_load_from_file(str(path).encode(), settings)
        if not self.pointer:
            raise UnavailableError(
                f"{path}: llama.cpp cannot load this file on {device}: is it a whole GGUF"
                f"{', and is there room on the card' if device == 'cuda' else ''}?"
            )
        self.vocabulary = GgufVocabulary(llama.llama_model_get_vocab(self.pointer))

    def fact(self, key: str) -> str | None:
        """One value of the file's metadata, for instance `tokenizer.chat_template`."""
        size = llama.llama_model_meta_val_str(self.pointer, key.encode(), None, 0)
        if size < 0:
            return None
        buffer = ctypes.create_string_buffer(size + 1)
        llama.llama_model_meta_val_str(self.pointer, key.encode(), buffer, size + 1)
        return buffer.value.decode("utf-8", "replace")

    @property
    def trained_tokens(self) -> int:
        """The longest context that the model was trained on."""
        return int(llama.llama_model_n_ctx_train(self.pointer))

    def close(self) -> None:
        if self.pointer:
            llama.llama_model_free(self.pointer)
            self.pointer = None


def facts_of(path: Path) -> dict[str, str]:
    """All of a file's metadata that is short, without its weights. Raises UnavailableError."""
    llama.llama_log_set(_DROP, None)
    settings = llama.llama_model_default_params()
    settings.vocab_only = True
    pointer = llama.llama_model_load_from_file(str(path).encode(), settings)
    if not pointer:
        raise UnavailableError(f"{path}: llama.cpp cannot load this file: is it a whole GGUF?")
    key, value = ctypes.create_string_buffer(128), ctypes.create_string_buffer(128)
    found = {}
    for index in range(llama.llama_model_meta_count(pointer)):
        llama.llama_model_meta_key_by_index(pointer, index, key, 128)
        llama.llama_model_meta_val_str_by_index(pointer, index, value, 128)
        found[key.value.decode("utf-8", "replace")] = value.value.decode("utf-8", "replace")
    llama.llama_model_free(pointer)
    return found


class GgufVocabulary:
    """The vocabulary inside a GGUF; see `batch.Vocabulary`."""

    def __init__(self, pointer: Any) -> None:
        self._pointer = pointer
        self.size = int(llama.llama_vocab_n_tokens(pointer))
        begin = int(llama.llama_vocab_bos(pointer))
        self.begin = begin if begin >= 0 and llama.llama_vocab_get_add_bos(pointer) else None
        ending = (llama.llama_vocab_eos(pointer), llama.llama_vocab_eot(pointer))
        self.ending = tuple(sorted({int(token) for token in ending if token >= 0}))
        """Tokens that end a reply, or a turn."""
        self.names = {
            "bos_token": self.name(begin),
            "eos_token": self.name(int(ending[0])),
        }
        """How a template writes them."""

    def tokens(self, text: str, *, special: bool) -> list[int]:
        raw = text.encode("utf-8", "replace")
        room = len(raw) + 8
        buffer = (llama.llama_token * room)()
        count = llama.llama_tokenize(self._pointer, raw, len(raw), buffer, room, False, special)
        if count < 0:
            raise EngineFailed("llm", "text cannot be tokenised")
        return list(buffer[:count])

    def piece(self, token: int) -> bytes:
        return self._text(token, special=False)

    def name(self, token: int) -> str:
        """How a control token is written in a template; empty for none."""
        return "" if token < 0 else self._text(token, special=True).decode("utf-8", "replace")

    def ends(self, token: int) -> bool:
        return bool(llama.llama_vocab_is_eog(self._pointer, token))

    def _text(self, token: int, *, special: bool) -> bytes:
        buffer = ctypes.create_string_buffer(128)
        size = llama.llama_token_to_piece(self._pointer, token, buffer, 128, 0, special)
        if size < 0:
            buffer = ctypes.create_string_buffer(-size)
            size = llama.llama_token_to_piece(self._pointer, token, buffer, -size, 0, special)
        return bytes(buffer.raw[: max(size, 0)])


class Context:
    """All sequences of one model; see `batch.Engine`. Everything is allocated when it is made."""

    batch_tokens = 512

    def __init__(self, weights: Weights, sequences: int, tokens: int, threads: int) -> None:
        """`tokens`: what each sequence may hold. Raises UnavailableError."""
        settings = llama.llama_context_default_params()
        settings.n_ctx = sequences * tokens
        settings.n_batch = settings.n_ubatch = self.batch_tokens
        settings.n_seq_max = sequences
        settings.n_outputs_max = sequences
        settings.n_threads = settings.n_threads_batch = threads
        settings.kv_unified = False  # docs/decisions/0005: each sequence has its own cells
        settings.swa_full = True  # else a sliding window forgets what a roll-back needs
        settings.no_perf = True
        settings.offload_kqv = settings.op_offload = weights.device == "cuda"
        self._vocabulary_size = weights.vocabulary.size
        self._pointer = llama.llama_init_from_model(weights.pointer, settings)
        if not self._pointer:
            raise UnavailableError(
                f"[llm] slots, context_tokens: no memory for {sequences} x {tokens} tokens: "
                "write smaller ones"
            )
        self._memory = llama.llama_get_memory(self._pointer)
        self._batch = llama.llama_batch_init(self.batch_tokens, 0, 1)
        self._view = _BatchView(self._batch, self.batch_tokens)
        self._outputs: list[int] = []
        self._threads = Threads(threads)

    def decode(self, runs: Sequence[Run]) -> None:
        tokens, self._outputs = self._view.fill(runs)
        threads = self._threads.choose(tokens)
        llama.llama_set_n_threads(self._pointer, threads, threads)
        self._batch.n_tokens = tokens
        began = clock.now()
        code = llama.llama_decode(self._pointer, self._batch)
        if code != 0:
            raise EngineFailed("llm", f"decode returned {code}")
        self._threads.learn(tokens, threads, clock.now() - began)

    def logits(self, output: int, allowed: Mask | None = None) -> Floats:
        """Of the `output`-th wanting run; valid until the next step. What is not `allowed` has
        no likelihood at all."""
        row = llama.llama_get_logits_ith(self._pointer, self._outputs[output])
        logits = np.ctypeslib.as_array(row, shape=(self._vocabulary_size,))
        return logits if allowed is None else np.where(allowed, logits, _NEVER)

    def probability(self, output: int, tokens: Collection[int]) -> float:
        logits = self.logits(output)
        top = float(logits.max())
        wanted = np.exp(logits[list(tokens)].astype(np.float64) - top).sum()
        return float(wanted / np.exp(logits - np.float32(top)).sum(dtype=np.float64))

    def sampler(self, sampling: Sampling) -> "Greedy | Chain":
        return Greedy(self) if sampling.temperature == 0 else Chain(self, sampling)

    def cut(self, sequence: int, length: int) -> None:
        if not self.can_cut(sequence, length):
            raise EngineFailed("llm", "roll-back refused")

    def can_cut(self, sequence: int, length: int) -> bool:
        """Cuts; False when the model cannot."""
        return bool(llama.llama_memory_seq_rm(self._memory, sequence, length, -1))

    def save(self, sequence: int) -> State:
        size = llama.llama_state_seq_get_size(self._pointer, sequence)
        state = (ctypes.c_uint8 * size)()
        if llama.llama_state_seq_get_data(self._pointer, state, size, sequence) != size:
            raise EngineFailed("llm", "cache cannot be saved")
        return state

    def restore(self, sequence: int, state: State) -> None:
        self.cut(sequence, 0)
        if not llama.llama_state_seq_set_data(self._pointer, state, len(state), sequence):
            raise EngineFailed("llm", "cache cannot be restored")

    def held(self, sequence: int) -> int:
        """Tokens of a sequence that are in the cache."""
        return int(llama.llama_memory_seq_pos_max(self._memory, sequence)) + 1

    def close(self) -> None:
        if self._pointer:
            llama.llama_batch_free(self._batch)
            llama.llama_free(self._pointer)
            self._pointer = None


class Greedy:
    """Always the likeliest token: no chain is needed for that."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def draw(self, output: int, allowed: Mask | None = None) -> int:
        return int(self._context.logits(output, allowed).argmax())

    def close(self) -> None:
        pass


class Chain:
    """A native chain of samplers, over the likeliest tokens only.

    Over a whole vocabulary of 262,144 the same chain takes 2 to 31 ms a token, most of it to sort
    what can never be drawn.
    """

    def __init__(self, context: Context, sampling: Sampling) -> None:
        self._context = context
        self._chain = llama.llama_sampler_chain_init(llama.llama_sampler_chain_default_params())
        for part in (
            llama.llama_sampler_init_top_p(sampling.top_p, 1),
            llama.llama_sampler_init_min_p(sampling.min_p, 1),
            llama.llama_sampler_init_temp(sampling.temperature),
            llama.llama_sampler_init_dist(sampling.seed),
        ):
            llama.llama_sampler_chain_add(self._chain, part)

    def draw(self, output: int, allowed: Mask | None = None) -> int:
        candidates: Candidates = likeliest(self._context.logits(output, allowed))
        array = llama.llama_token_data_array(
            data=candidates.ctypes.data_as(llama.llama_token_data_p),
            size=len(candidates),
            selected=-1,
            sorted=False,
        )
        llama.llama_sampler_apply(self._chain, ctypes.byref(array))
        token = int(array.data[array.selected].id)
        llama.llama_sampler_accept(self._chain, token)
        return token

    def close(self) -> None:
        if self._chain:
            llama.llama_sampler_free(self._chain)
            self._chain = None


class _BatchView:
    """numpy views of a batch's C arrays: filled by slices, not token by token."""

    def __init__(self, batch: Any, size: int) -> None:
        self._token = np.ctypeslib.as_array(batch.token, shape=(size,))
        self._position = np.ctypeslib.as_array(batch.pos, shape=(size,))
        self._wanted = np.ctypeslib.as_array(batch.logits, shape=(size,))
        self._sequences = [
            np.ctypeslib.as_array(batch.seq_id[index], shape=(1,)) for index in range(size)
        ]
        np.ctypeslib.as_array(batch.n_seq_id, shape=(size,))[:] = 1

    def fill(self, runs: Sequence[Run]) -> tuple[int, list[int]]:
        """Writes the runs one behind the other; returns tokens, and the places of outputs."""
        end = 0
        outputs = []
        for run in runs:
            begin, end = end, end + len(run.tokens)
            self._token[begin:end] = run.tokens
            self._position[begin:end] = range(run.start, run.start + len(run.tokens))
            self._wanted[begin:end] = 0
            for place in range(begin, end):
                self._sequences[place][0] = run.sequence
            if run.output:
                self._wanted[end - 1] = 1
                outputs.append(end - 1)
        return end, outputs


def load_backends() -> None:
    """Lets ggml find its backends: they are separate libraries, one for each kind of processor.

    libllama is bound to the copy of libggml under its versioned name; to load them through any
    other copy would register them where libllama does not look.
    """
    folder = Path(llama.__file__).parent / "lib"
    name = folder / "libggml.so.0"
    if not name.exists():
        return  # a build with its backends inside
    ggml = ctypes.CDLL(str(name))
    ggml.ggml_backend_load_all_from_path.argtypes = [ctypes.c_char_p]
    ggml.ggml_backend_load_all_from_path(str(folder).encode())
