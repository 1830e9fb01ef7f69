"""One CUDA major, and one onnxruntime: in the locks, in a wheelhouse, and in what is installed."""

import io
import zipfile
from importlib.metadata import files
from pathlib import Path

import pytest

from voiced.gpu import wheels

pytestmark = pytest.mark.unit

LOCKS = sorted((Path(__file__).parents[3] / "requirements").glob("*.txt"))


def wheel(folder: Path, name: str, *, requires: str = "", binary: bytes = b"") -> Path:
    path = folder / f"{name}-1.0-cp311-cp311-manylinux_2_28_x86_64.whl"
    with zipfile.ZipFile(path, "w") as archive:
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        if requires:
            metadata += f'Requires-Dist: {requires}; platform_system == "Linux"\n'
        archive.writestr(f"{name}-1.0.dist-info/METADATA", metadata)
        archive.writestr(f"{name}/lib{name}.so.4", binary)
    return path


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_no_lock_brings_two_majors_or_both_onnxruntimes(lock: Path) -> None:
    assert [] == wheels.lock_clashes(lock.read_text())


def test_the_lock_of_a_card_has_the_one_onnxruntime_that_knows_cards() -> None:
    (lock,) = (path.read_text() for path in LOCKS if path.name == "gpu.txt")

    assert "\nonnxruntime-gpu==1.23.2" in lock
    assert "\nonnxruntime==" not in lock
    assert "\nnvidia-cublas-cu12==" in lock


def test_a_lock_with_both_is_refused_by_name() -> None:
    (told,) = wheels.lock_clashes("onnxruntime==1.23.2 \\\nonnxruntime-gpu==1.23.2 \\\n")

    assert "onnxruntime and onnxruntime-gpu" in told


def test_a_lock_with_two_majors_is_refused_with_whose_they_are() -> None:
    (told,) = wheels.lock_clashes("nvidia-cublas-cu12==12.8\nnvidia-cudnn-cu13==9.1\n")

    assert "CUDA 12: nvidia-cublas-cu12==; CUDA 13: nvidia-cudnn-cu13==" in told


def test_a_wheel_s_major_is_known_by_what_it_asks_for(tmp_path: Path) -> None:
    asks = wheel(tmp_path, "torch", requires="nvidia-cublas-cu12==12.8.4.1")

    assert {12} == wheels.majors(asks)


def test_a_library_that_is_opened_by_name_counts_wherever_its_name_stands(tmp_path: Path) -> None:
    """Across the pieces in which a binary is read, too."""
    for before in (10, (1 << 20) - 8):
        binary = b"x" * before + b"libcublas.so.13\0" + b"y" * 100
        assert {13} == wheels.majors(wheel(tmp_path, "ctranslate2", binary=binary))


def test_a_wheelhouse_with_two_majors_is_refused(tmp_path: Path) -> None:
    house = [
        wheel(tmp_path, "torch", requires="nvidia-cublas-cu13==13.0"),
        wheel(tmp_path, "ctranslate2", binary=b"\0libcublas.so.12\0"),
    ]
    (told,) = wheels.clashes(house)

    assert "CUDA 12: ctranslate2; CUDA 13: torch" in told


def test_a_wheelhouse_with_both_onnxruntimes_is_refused(tmp_path: Path) -> None:
    (told,) = wheels.clashes([wheel(tmp_path, "onnxruntime"), wheel(tmp_path, "onnxruntime_gpu")])

    assert "one folder" in told


def test_the_recogniser_s_library_opens_cuda_12() -> None:
    """What is installed here is what a card's lock has too: it asks for nothing, and opens this."""
    found: set[int] = set()
    for file in files("ctranslate2") or ():
        if ".so" in file.name:
            with Path(str(file.locate())).open("rb") as binary:
                found |= wheels.named(io.BytesIO(binary.read()))

    assert {12} == found
