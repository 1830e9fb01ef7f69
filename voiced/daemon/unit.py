"""What the unit hands to the daemon, laid over the settings: a socket, credentials, a directory.

It does not know what the daemon does with them.
"""

import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

from voiced.config.environment import credentials_dir, runtime_dir
from voiced.config.settings import Control, Http

CREDENTIALS = {
    "token": "token_file",
    "keys": "keys_file",
    "pass_key": "pass_key_file",
    "certificate": "certificate_file",
    "private_key": "private_key_file",
}
"""Names of the unit's credentials, and the settings whose place they take."""

CONTROL = "control.sock"
"""Name of the control socket in the unit's runtime directory."""


def laid_over(http: Http, given: socket.socket | None) -> Http:
    """[http] as it holds in this unit.

    The address is that of the socket that systemd opened; a file that the settings do not name
    is the unit's credential, where it has one.
    """
    if given is not None:
        host, port = given.getsockname()[:2]
        http = replace(http, host=host, port=port)
    credentials = credentials_dir()
    for name, setting in CREDENTIALS.items():
        if (
            credentials is not None
            and getattr(http, setting) is None
            and (credentials / name).is_file()
        ):
            changed: dict[str, Any] = {setting: credentials / name}
            http = replace(http, **changed)
    return http


def control_socket(control: Control) -> Path | None:
    """Where operators ask; None: nowhere, since this is no unit and the settings name no place."""
    if control.socket is not None:
        return control.socket
    directory = runtime_dir()
    return None if directory is None else directory / CONTROL
