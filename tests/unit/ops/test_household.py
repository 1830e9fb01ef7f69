"""Whom an address stands for."""

import pytest

from voiced.ops.household import household

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_whoever_has_one_address_of_ipv6_has_all_of_its_64(address: str, counted: str) -> None:
    assert counted == household(address)
