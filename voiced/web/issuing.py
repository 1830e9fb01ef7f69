"""Makes a key, a certificate signed by itself, and a request for one signed by the hospital's CA.

It does not know files, nor what a certificate is shown for.
"""

import ipaddress
from collections.abc import Sequence
from datetime import datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from voiced.errors import ConfigError

Key = ec.EllipticCurvePrivateKey

_LONGEST_NAME = 64
"""Of a common name (RFC 5280); a longer one stands among the alternative names alone."""

_BACKDATED = timedelta(hours=1)
"""Clocks of tablets are wrong."""


def new_key() -> Key:
    """A P-256 key: what every browser takes, and what a handshake costs least with."""
    return ec.generate_private_key(ec.SECP256R1())


def key_pem(key: Key) -> bytes:
    """The key, for a file that nobody else reads."""
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def read_key(pem: bytes) -> Key:
    """A key as `key_pem` gives it. Raises ConfigError."""
    try:
        key = serialization.load_pem_private_key(pem, password=None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise ConfigError("tls.key: it is no key of an elliptic curve: move it away")
    return key


def self_signed(key: Key, names: Sequence[str], days: int, at: datetime) -> x509.Certificate:
    """A certificate for hosts and addresses that vouches for itself. Raises ConfigError."""
    who = _subject(names)
    builder = (
        x509.CertificateBuilder()
        .subject_name(who)
        .issuer_name(who)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(at - _BACKDATED)
        .not_valid_after(at + timedelta(days=days))
        .add_extension(_alternatives(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def request(key: Key, names: Sequence[str]) -> x509.CertificateSigningRequest:
    """What a CA is sent. Raises ConfigError."""
    builder = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(_subject(names))
        .add_extension(_alternatives(names), critical=False)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    return builder.sign(key, hashes.SHA256())


def pem(signed: x509.Certificate | x509.CertificateSigningRequest) -> bytes:
    """As it stands in a file."""
    return signed.public_bytes(serialization.Encoding.PEM)


def fingerprint(certificate: x509.Certificate) -> str:
    """SHA-256, as browsers show it: for comparing by eye."""
    return certificate.fingerprint(hashes.SHA256()).hex(":").upper()


def _subject(names: Sequence[str]) -> x509.Name:
    short = [name for name in names[:1] if 0 < len(name) <= _LONGEST_NAME]
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name) for name in short])


def _alternatives(names: Sequence[str]) -> x509.SubjectAlternativeName:
    return x509.SubjectAlternativeName([_general(name) for name in names])


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass
    labels = name.removeprefix("*.").split(".")
    if len(name) > 253 or not all(_is_label(label) for label in labels):
        raise ConfigError(f"--name {name!r}: write a host as voice.hospital.example, or an address")
    return x509.DNSName(name)


def _is_label(label: str) -> bool:
    plain = label.isascii() and label.replace("-", "a").isalnum()
    return plain and len(label) <= 63 and label[0] != "-" != label[-1]
