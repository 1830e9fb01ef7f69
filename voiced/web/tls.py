"""The certificate that HTTPS shows: from two files, and read again without a restart.

    base context ── each handshake asks ──> the newest context, made whole from both files

Handshakes that are done keep what they have, so a new certificate touches no open connection. It
does not know who made the certificate (`issuing`), nor which host asks.
"""

import ssl
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from cryptography import x509

from voiced import clock
from voiced.config.settings import Http
from voiced.errors import ConfigError
from voiced.ops import metrics

SOON_DAYS = 14
"""Fewer days than this are a fault: somebody must be asked for a new one, and may be on leave."""

_DAY_S = 86_400


@dataclass(frozen=True, slots=True)
class Shown:
    """A certificate that was read whole, and can be shown."""

    context: ssl.SSLContext
    ends_at: datetime
    names: tuple[str, ...]
    """The hosts and addresses that it is for."""


def read(http: Http) -> Shown | None:
    """The certificate that the settings name; None: they name none. Raises ConfigError."""
    certificate, key = http.certificate_file, http.private_key_file
    if certificate is None and key is None:
        return None
    if certificate is None or key is None:
        missing = "certificate_file" if certificate is None else "private_key_file"
        raise ConfigError(f"http.{missing}: write it too: HTTPS needs a certificate and its key")
    leaf = _leaf(certificate)
    context = _context()
    try:
        context.load_cert_chain(certificate, key, password=_no_password)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise ConfigError(
            f"http.private_key_file = '{key}': {reason}: write the PEM key, without a passphrase, "
            f"that belongs to '{certificate}'"
        ) from None
    return Shown(context, leaf.not_valid_after_utc, _names(leaf))


class Tls:
    """What the listening socket needs. Main loop only."""

    def __init__(self, shown: Shown, wall: Callable[[], datetime] = clock.wall) -> None:
        self.context = _context()
        """For the socket; shows whichever certificate is the newest."""
        self._shown = shown
        self._wall = wall
        self.context.sni_callback = self._show
        metrics.CERTIFICATE_DAYS.labels("https").set_function(self.days_left)

    def renew(self, shown: Shown) -> None:
        """New handshakes show this one."""
        self._shown = shown

    def days_left(self) -> float:
        """Until the certificate that is shown ends; below 0 when it has. Any thread."""
        return days_left(self._shown, self._wall())

    def _show(self, connection: ssl.SSLObject, _name: str | None, _base: ssl.SSLContext) -> None:
        connection.context = self._shown.context


def days_left(shown: Shown, at: datetime) -> float:
    """Days from an instant to the certificate's end."""
    return (shown.ends_at - at).total_seconds() / _DAY_S


def _context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.options |= ssl.OP_NO_RENEGOTIATION
    context.set_alpn_protocols(["http/1.1"])
    return context


def _leaf(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificates(path.read_bytes())[0]
    except OSError as error:
        raise ConfigError(f"http.certificate_file = '{path}': {error.strerror}") from None
    except ValueError:
        raise ConfigError(
            f"http.certificate_file = '{path}': write a PEM certificate, and behind it those "
            "between it and the root"
        ) from None


def _names(leaf: x509.Certificate) -> tuple[str, ...]:
    try:
        found = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        return ()
    addresses = found.get_values_for_type(x509.IPAddress)
    return (*found.get_values_for_type(x509.DNSName), *map(str, addresses))


def _no_password() -> str:
    """Else OpenSSL would ask for one on the terminal, for ever."""
    raise ValueError("it has a passphrase")
