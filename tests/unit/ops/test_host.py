"""What is read of the machine."""

import gc
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from voiced.ops import host

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[3]

MAPS = """\
7f00-7f01 r-xp 00000000 fe:00 1  /opt/v/site-packages/nvidia/cublas/lib/libcublas.so.12
7f01-7f02 r--p 00000000 fe:00 1  /opt/v/site-packages/nvidia/cublas/lib/libcublas.so.12
7f02-7f03 r-xp 00000000 fe:00 2  /opt/v/site-packages/nvidia/cudnn/lib/libcudnn.so.9
7f03-7f04 r-xp 00000000 fe:00 3  /usr/lib/x86_64-linux-gnu/libc.so.6
7f04-7f05 rw-p 00000000 00:00 0
"""


def test_only_the_libraries_of_engines_and_cards_are_told() -> None:
    libraries = host.libraries(MAPS)

    assert ["libcublas.so.12", "libcudnn.so.9"] == [path.split("/")[-1] for path in libraries]


def test_two_cuda_majors_in_one_process_are_seen() -> None:
    """cuDNN counts its own majors."""
    two = (*host.libraries(MAPS), "/usr/local/cuda/lib64/libcudart.so.13")

    assert {12} == host.cuda_majors(host.libraries(MAPS))
    assert {12, 13} == host.cuda_majors(two)


ONE_SET = (
    "/v/nvidia/cublas/lib/libcublas.so.12",
    "/v/nvidia/cublas/lib/libcublasLt.so.12",
    "/v/nvidia/cudnn/lib/libcudnn.so.9",
    "/v/nvidia/cudnn/lib/libcudnn_ops.so.9",
)


def test_one_set_of_the_card_s_libraries_is_no_clash() -> None:
    assert [] == host.clashes({"onnxruntime-gpu": "1"}, ONE_SET)


def test_both_wheels_of_onnxruntime_are_named() -> None:
    """They share one folder: which of them runs is chance."""
    (wrong,) = host.clashes({"onnxruntime": "1", "onnxruntime-gpu": "1"}, ONE_SET)

    assert "onnxruntime and onnxruntime-gpu" in wrong


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ("/usr/lib/libcudnn.so.8", "libcudnn"),
        ("/usr/lib/libcudnn_ops.so.9.1.0", "libcudnn_ops"),
        ("/usr/local/cuda/lib64/libcublas.so.13", "CUDA 12 and 13"),
        ("/opt/x/libcudart-1a2b.so.13.0", "CUDA 12 and 13"),
    ],
)
def test_a_second_copy_from_elsewhere_is_named(other: str, named: str) -> None:
    """As LD_LIBRARY_PATH or another package brings it; it would abort at the first caller."""
    wrong = host.clashes({}, (*ONE_SET, other))

    assert any(named in sentence for sentence in wrong)


@pytest.mark.parametrize("kind", [socket.SOCK_STREAM, socket.SOCK_DGRAM])
def test_a_port_that_somebody_has_is_not_free(kind: socket.SocketKind) -> None:
    with socket.socket(socket.AF_INET, kind) as other:
        other.bind(("127.0.0.1", 0))
        if kind is socket.SOCK_STREAM:
            other.listen()
        taken = other.getsockname()[1]

        assert not host.is_free("127.0.0.1", taken, kind)
    assert host.is_free("127.0.0.1", 0, kind)


def test_an_address_of_another_machine_is_no_port_at_all() -> None:
    with pytest.raises(OSError, match="assign"):
        host.is_free("192.0.2.1", 0, socket.SOCK_DGRAM)


def test_nobody_who_listens_is_no_voiced() -> None:
    assert not host.answers_as_voiced("127.0.0.1", 1, secure=False)


def test_there_is_memory_to_be_had() -> None:
    assert host.free_mb() > 0


def test_a_process_that_has_shut_its_dumps_leaves_none() -> None:
    """Neither a limit nor a handler that dumps are piped to: the kernel takes none of it."""
    asking = """
import ctypes, resource
from voiced.ops import host
host.shut_dumps()
print(ctypes.CDLL(None).prctl(3), *resource.getrlimit(resource.RLIMIT_CORE))
"""
    done = subprocess.run(
        [sys.executable, "-c", asking], capture_output=True, text=True, check=True, cwd=ROOT
    )

    assert "0 0 0" == done.stdout.strip()


def test_a_command_is_known_by_its_account() -> None:
    assert host.account().startswith(f"uid:{os.getuid()}")


def test_what_has_settled_is_not_looked_at_again() -> None:
    try:
        host.settle()

        assert len(gc.get_objects()) < gc.get_freeze_count() / 10
    finally:
        gc.unfreeze()
