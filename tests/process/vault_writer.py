"""Works on a vault until it is killed, and says on stdout what is done, when it is.

python -m tests.process.vault_writer DIR NUMBER    keeps, ends and erases calls from NUMBER on
python -m tests.process.vault_writer DIR           wraps all keys anew, again and again
"""

import itertools
import sys
from pathlib import Path

from voiced.vault.keys import SiteKey, SiteKeys
from voiced.vault.model import Opening
from voiced.vault.record import Kind
from voiced.vault.vault import Vault

_OLD, _NEW = SiteKey.of(b"s" * 32), SiteKey.of(b"t" * 32)
SITE, CHANGED = SiteKeys([_OLD, _NEW]), SiteKeys([_NEW, _OLD])
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


def rekey(directory: Path) -> None:
    vault = Vault(directory, lambda: 1000)
    done("ready")
    for site in itertools.cycle((CHANGED, SITE)):
        done("rewrapped", vault.keys.rewrap(site))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        main(Path(sys.argv[1]), int(sys.argv[2]))
    else:
        rekey(Path(sys.argv[1]))
