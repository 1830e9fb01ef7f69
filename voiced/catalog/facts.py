"""Writes what was measured of a model into the catalogue that has it; all else stays as it was.

It does not know what the facts mean.
"""

from collections.abc import Mapping
from pathlib import Path

import tomlkit
from tomlkit.exceptions import TOMLKitError

from voiced.errors import ConfigError, UnavailableError


def write_facts(catalog: Path, model: str, facts: Mapping[str, Mapping[str, object]]) -> None:
    """Each fact is a table, of which the named keys are set. Raises ConfigError, UnavailableError.

    Comments, order and every other key are kept; the file is replaced whole.
    """
    try:
        document = tomlkit.parse(catalog.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnavailableError(f"{catalog}: cannot be read ({error.strerror})") from None
    except TOMLKitError as error:
        raise ConfigError(f"{catalog}: {error}") from None
    entry = next((one for one in document.get("models", ()) if one.get("name") == model), None)
    if entry is None:
        raise ConfigError(
            f"{catalog}: no model {model!r} in it: name the catalogue that has it in "
            "[models] catalog"
        )
    known = entry.setdefault("facts", tomlkit.table())
    for fact, values in facts.items():
        known.setdefault(fact, tomlkit.table()).update(values)
    temporary = catalog.with_name(catalog.name + ".new")
    try:
        temporary.write_text(tomlkit.dumps(document), encoding="utf-8")
        temporary.replace(catalog)
    except OSError as error:
        raise UnavailableError(
            f"{catalog}: cannot be written ({error.strerror}): run this as a user who may"
        ) from None
