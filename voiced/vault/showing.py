"""What was kept of a call, opened: its turns and its sound.

Words come out as `Words`; whoever shows them reveals them on purpose. It does not know for whom.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from voiced.errors import Damaged
from voiced.vault.keys import SiteKeys
from voiced.vault.record import Kind, Turn, packets_of, turn_of
from voiced.vault.vault import Vault


@dataclass(slots=True)
class Shown:
    """One call, as far as it can be read."""

    turns: list[Turn] = field(default_factory=list)
    sound: list[bytes] = field(default_factory=list, repr=False)
    """Parts; empty where none was recorded."""
    damage: str | None = None
    """What is wrong behind what was read; None: nothing."""

    def packets(self) -> Iterator[bytes]:
        """The sound, packet by packet."""
        for part in self.sound:
            yield from packets_of(part)


def opened_call(vault: Vault, call: str, site: SiteKeys) -> Shown:
    """Raises UnavailableError: no such call, or no key for it. Damage is told, not raised."""
    shown = Shown()
    try:
        for part in vault.read(call, site):
            if part.kind == Kind.TURN:
                shown.turns.append(turn_of(part.content))
            elif part.kind == Kind.SOUND:
                shown.sound.append(part.content)
    except Damaged as damaged:
        shown.damage = str(damaged)
    return shown
