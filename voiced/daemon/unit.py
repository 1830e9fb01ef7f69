"""What the unit hands to the daemon, laid over the settings: a socket, and a credential.

It does not know what the daemon does with them.
"""

import socket
from dataclasses import replace

from voiced.config.environment import credentials_dir
from voiced.config.settings import Http

TOKEN = "token"
"""Name of the credential in the unit."""


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
