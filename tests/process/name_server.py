"""A name server that knows nobody, and writes down who was asked for: name_server.py FILE."""

import socket
import struct
import sys
from pathlib import Path

_HEADER = struct.Struct("!6H")
_NO_SUCH_NAME = 0x8183


def asked(packet: bytes) -> str:
    """The name in a query."""
    labels, at = [], _HEADER.size
    while length := packet[at]:
        labels.append(packet[at + 1 : at + 1 + length].decode("ascii", "replace"))
        at += 1 + length
    return ".".join(labels)


def main(log: Path) -> None:
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("127.0.0.1", 53))
    log.write_text("")
    while True:
        packet, client = server.recvfrom(4096)
        with log.open("a") as file:
            file.write(asked(packet) + "\n")
        number, _flags, questions, *_ = _HEADER.unpack_from(packet)
        header = _HEADER.pack(number, _NO_SUCH_NAME, questions, 0, 0, 0)
        server.sendto(header + packet[_HEADER.size :], client)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
