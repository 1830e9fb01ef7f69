"""What stands before the routes: keys, passes and the certificate, and the sisters behind.

It does not know the routes, or the socket.
"""

import ssl
from collections.abc import Callable

from voiced.config.settings import Fleet, Http
from voiced.ops import log
from voiced.web import tls
from voiced.web.door import Door
from voiced.web.keys import LOOPBACK, read_keys
from voiced.web.passes import Passes, read_key
from voiced.web.sisters import Sisters
from voiced.web.tls import Tls


class Entrance:
    """Main loop only."""

    def __init__(self, http: Http, fleet: Fleet) -> None:
        """Raises ConfigError for a file that is wrong, or a key that is missing."""
        keys = read_keys(http)
        shown = tls.read(http)
        self.passes = Passes(read_key(http.pass_key_file))
        self.door = Door(keys, self.passes, http)
        self.sisters = Sisters(fleet)
        self._http = http
        self._tls = Tls(shown) if shown is not None else None
        if keys is None:
            log.warning("http.loopback_only", missing="http.keys_file")
        elif shown is None and http.host not in LOOPBACK:
            log.warning("http.without_tls", missing="http.certificate_file")

    @property
    def context(self) -> ssl.SSLContext | None:
        """For the listening socket; None: it speaks plain HTTP."""
        return self._tls.context if self._tls is not None else None

    def days_left(self) -> float | None:
        """Until the certificate ends; None without one."""
        return self._tls.days_left() if self._tls is not None else None

    def again(self) -> Callable[[], None]:
        """Reads the files again. Raises ConfigError; what is returned puts them in force."""
        keys, shown = read_keys(self._http), tls.read(self._http)

        def renew() -> None:
            self.door.renew(keys)
            if self._tls is not None and shown is not None:
                self._tls.renew(shown)

        return renew
