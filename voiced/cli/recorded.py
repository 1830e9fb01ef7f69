"""Puts into the audit what an operator's verb is about to do. It does not know the verbs."""

from typing import TYPE_CHECKING

from voiced.config.settings import Settings
from voiced.errors import UnavailableError

if TYPE_CHECKING:
    from voiced.audit.entries import Entry


def record(settings: Settings, entry: "Entry") -> None:
    """Puts it into the audit, where there is one, before it is done. Raises UnavailableError."""
    from voiced.audit.folder import Folder, stamp
    from voiced.audit.keys import sealing_keys
    from voiced.clock import wall

    keys = sealing_keys(settings.audit)
    if keys is None:
        return
    folder = Folder(settings.audit.dir, keys, settings.audit.retention_days)
    try:
        folder.open()
        folder.append([(stamp(wall()), entry)])
    except OSError as error:
        raise UnavailableError(
            f"audit.dir = '{settings.audit.dir}': nothing is done that cannot be recorded "
            f"({error.strerror})"
        ) from None
