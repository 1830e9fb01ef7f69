"""Which failures of an engine mean that the card is lost to this process.

CUDA calls some errors sticky: after one of them every later call fails the same way, until the
process has ended. Memory that ran out is none of them: the next turn may work. Pure; of the
library's message nothing is kept but the name of its kind.
"""

import re

_STICKY = {
    "an illegal access": r"illegal memory access|misaligned address|illegal address",
    "a kernel that failed": r"unspecified launch failure|illegal instruction|device-side assert"
    r"|hardware stack error|launch timed out|CUBLAS_STATUS_EXECUTION_FAILED"
    r"|CUDNN_STATUS_EXECUTION_FAILED|CUDNN_STATUS_MAPPING_ERROR",
    "memory that failed": r"uncorrectable ECC|uncorrectable NVLink",
    "a card that is gone": r"GPU is lost|no CUDA-capable device|device is busy or unavailable"
    r"|driver shutting down|unknown error \(999\)|cudaErrorUnknown|system not yet initialized",
}
_KINDS = {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in _STICKY.items()}


def sticky(error: BaseException) -> str | None:
    """What has happened to the card, in our words; None: only this piece of work failed."""
    message = str(error)
    return next((kind for kind, pattern in _KINDS.items() if pattern.search(message)), None)
