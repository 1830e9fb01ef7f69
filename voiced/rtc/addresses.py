"""Which addresses are bound and what callers are told of each: one, or one of each family. Pure.

    host, public_host              IPv4 or IPv6
    host_v6, public_host_v6        IPv6 beside them, on the same port

It does not know sockets.
"""

import ipaddress
from dataclasses import dataclass

from voiced.config.settings import Rtc
from voiced.errors import ConfigError

_Ip = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True, slots=True)
class Place:
    """An address of this machine."""

    host: str
    """What is bound."""
    told: str
    """What callers are told; another one behind a 1:1 NAT."""


def places(settings: Rtc) -> tuple[Place, ...]:
    """The one that is preferred comes last. Raises ConfigError for an address that is none."""
    first = _place("host", settings.host, "public_host", settings.public_host)
    if settings.host_v6 is None:
        if settings.public_host_v6 is not None:
            told = f"rtc.public_host_v6 = {settings.public_host_v6!r}"
            raise ConfigError(f"{told}: write the address that is bound for it as rtc.host_v6")
        return (first,)
    second = _place("host_v6", settings.host_v6, "public_host_v6", settings.public_host_v6)
    if ":" in first.host or ":" not in second.host:
        written = f"rtc.host_v6 = {settings.host_v6!r} beside rtc.host = {settings.host!r}"
        raise ConfigError(f"{written}: write an IPv4 address as rtc.host, an IPv6 one as host_v6")
    return first, second


def on_loopback(settings: Rtc) -> bool:
    """Whether callers are told of nothing but this machine. Raises ConfigError like `places`."""
    return all(ipaddress.ip_address(one.told).is_loopback for one in places(settings))


def _place(key: str, host: str, public_key: str, public: str | None) -> Place:
    bound = _address(key, host)
    told = bound if public is None else _address(public_key, public)
    if public is None and bound.is_unspecified:
        raise ConfigError(
            f"rtc.{key} = {host!r}: callers cannot be told that: write the address "
            f"that they reach as rtc.{public_key}"
        )
    if told.is_unspecified or told.is_multicast:
        raise ConfigError(f"rtc.{public_key} = {public!r}: write the address that callers reach")
    if bound.version != told.version:
        raise ConfigError(
            f"rtc.{public_key} = {public!r}: what comes there cannot reach rtc.{key} = {host!r}: "
            "write two addresses of one family"
        )
    return Place(host, public or host)


def _address(key: str, value: str) -> _Ip:
    try:
        found = ipaddress.ip_address(value)
    except ValueError:
        raise ConfigError(f"rtc.{key} = {value!r}: write an IP address") from None
    if isinstance(found, ipaddress.IPv6Address) and (found.scope_id or found.is_link_local):
        raise ConfigError(f"rtc.{key} = {value!r}: write an address that more than one link knows")
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        raise ConfigError(f"rtc.{key} = {value!r}: write {found.ipv4_mapped}")
    return found
