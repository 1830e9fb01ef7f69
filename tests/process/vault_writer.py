"""Keeps, ends and erases calls until it is killed, and says on stdout what is done, when it is."""

import itertools
import sys
from pathlib import Path

from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.model import Opening
from voiced.vault.record import Kind
from voiced.vault.vault import Vault

SITE = SiteKeys([SiteKey.of(b"s" * 32)])
TURNS = 4


def said(call: str, turn: int) -> bytes:
    return f"turn {turn} of {call}, in which somebody says something of his own".encode()


def done(*what: object) -> None:
    sys.stdout.write(" ".join(map(str, what)) + "\n")
    sys.stdout.flush()


def main(directory: Path, begin: int) -> None:
    vault = Vault(directory, lambda: 1000)
    vault.recover()
    vault.prepare(SITE)
    done("ready")
    for number in itertools.count(begin):
        call = f"c{number}"
        vault.begin(Opening(call, "reception", "en", recorded=False, retention_days=1), SITE)
        done("begun", call)
        for turn in range(TURNS):
            vault.add(call, Kind.TURN, said(call, turn))
            done("turn", call)
        vault.end(call, "left")
        done("ended", call)
        if number % 3 == 2:
            done("erasing", f"c{number - 1}")
            vault.erase(f"c{number - 1}", "asked")
            done("erased", f"c{number - 1}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
