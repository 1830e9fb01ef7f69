"""What the unit hands to the daemon, laid over the settings: a socket, a credential, a directory.

It does not know what the daemon does with them.
"""

import socket
from dataclasses import replace
from pathlib import Path

from voiced.config.environment import credentials_dir, runtime_dir
from voiced.config.settings import Control, Http

TOKEN = "token"
"""Name of the credential in the unit."""

CONTROL = "control.sock"
"""Name of the control socket in the unit's runtime directory."""


def laid_over(http: Http, given: socket.socket | None) -> Http:
    """[http] as it holds in this unit.

    The address is that of the socket that systemd opened; the token is the unit's credential,
    unless the settings name a file of their own.
    """
    if given is not None:
        host, port = given.getsockname()[:2]
        http = replace(http, host=host, port=port)
    credentials = credentials_dir()
    if http.token_file is None and credentials is not None and (credentials / TOKEN).is_file():
        http = replace(http, token_file=credentials / TOKEN)
    return http


def control_socket(control: Control) -> Path | None:
    """Where operators ask; None: nowhere, since this is no unit and the settings name no place."""
    if control.socket is not None:
        return control.socket
    directory = runtime_dir()
    return None if directory is None else directory / CONTROL
