"""Addresses as they are counted. It does not know what is counted."""

import ipaddress


def household(address: str) -> str:
    """An address, as it counts: of IPv6 the /64, since whoever has one address has all of them."""
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((found, 64), strict=False))
