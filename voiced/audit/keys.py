"""The keys that seal the audit: the one that is in force, and those that were.

From the unit's credential `audit-key`, else from `audit.key_file`. It does not know what is sealed.
"""

from dataclasses import dataclass
from pathlib import Path

from voiced.audit.chain import Key
from voiced.config.secret import credential, readable, whole
from voiced.config.settings import Audit
from voiced.errors import ConfigError

CREDENTIAL = "audit-key"
USUAL = Path("/etc/voiced/secrets/audit-key")
"""Where the unit takes the credential from; root's own commands read it there."""

_LEAST_BYTES = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """`own` seals; `old` ones only read."""

    own: Key
    old: tuple[Key, ...] = ()

    @property
    def all(self) -> tuple[Key, ...]:
        return (self.own, *self.old)

    def of(self, name: str, directory: Path) -> Key:
        """The key of that print. Raises ConfigError where it is not here."""
        for key in self.all:
            if key.name == name:
                return key
        raise ConfigError(
            f"audit.key_file: {directory} holds records that another key has sealed, {name}: name "
            "the file of that key in audit.old_key_files, or name another audit.dir"
        )


def sealing_keys(settings: Audit) -> Keys | None:
    """The keys; None: the site has named none. Raises ConfigError."""
    path = _place(settings)
    if path is None:
        return None
    old = [Key(whole(one, "audit.old_key_files", _LEAST_BYTES)) for one in settings.old_key_files]
    return Keys(Key(whole(path, "audit.key_file", _LEAST_BYTES)), tuple(old))


def _place(settings: Audit) -> Path | None:
    return credential(CREDENTIAL) or settings.key_file or readable(USUAL)
