"""What is bound and what callers are told: what could never connect is refused at the start."""

import pytest

from voiced.config.settings import Rtc
from voiced.errors import ConfigError
from voiced.rtc.addresses import on_loopback, places

pytestmark = pytest.mark.unit


def told(**written: str) -> list[tuple[str, str]]:
    return [(one.host, one.told) for one in places(Rtc(**written))]


def test_callers_are_told_what_is_bound_or_what_stands_in_front() -> None:
    assert [("10.0.0.5", "10.0.0.5")] == told(host="10.0.0.5")
    assert [("0.0.0.0", "203.0.113.9")] == told(host="0.0.0.0", public_host="203.0.113.9")
    assert [("fd00::2", "fd00::2")] == told(host="fd00::2")


def test_one_address_of_each_family_is_bound_where_both_are_written() -> None:
    both = {"host": "10.0.0.5", "host_v6": "fd00::2"}

    assert [("10.0.0.5", "10.0.0.5"), ("fd00::2", "fd00::2")] == told(**both)
    assert [("10.0.0.5", "203.0.113.9"), ("fd00::2", "2001:db8::9")] == told(
        **both, public_host="203.0.113.9", public_host_v6="2001:db8::9"
    )


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ({"host": "localhost"}, "rtc.host = 'localhost'"),
        ({"host": "0.0.0.0"}, "rtc.host = '0.0.0.0'.*as rtc.public_host"),
        ({"host_v6": "::"}, "rtc.host_v6 = '::'.*as rtc.public_host_v6"),
        ({"public_host": "voice.example"}, "rtc.public_host = 'voice.example'"),
        ({"public_host": "0.0.0.0"}, "rtc.public_host = '0.0.0.0'"),
        ({"public_host": "224.0.0.251"}, "rtc.public_host = '224.0.0.251'"),
        ({"public_host": "2001:db8::9"}, "rtc.public_host = '2001:db8::9'.*of one family"),
        ({"host": "::", "public_host": "203.0.113.9"}, "rtc.public_host.*of one family"),
        ({"host": "fe80::1"}, "rtc.host = 'fe80::1'"),
        ({"host_v6": "fd00::2%eth0"}, "rtc.host_v6 = 'fd00::2%eth0'"),
        ({"host": "::ffff:10.0.0.5"}, "write 10.0.0.5"),
        ({"host_v6": "10.0.0.6"}, "rtc.host_v6 = '10.0.0.6' beside"),
        ({"host": "fd00::1", "host_v6": "fd00::2"}, "an IPv4 address as rtc.host"),
        ({"public_host_v6": "2001:db8::9"}, "rtc.public_host_v6.*as rtc.host_v6"),
    ],
)
def test_what_no_caller_could_reach_is_named(written: dict[str, str], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        places(Rtc(**written))


@pytest.mark.parametrize(
    ("written", "alone"),
    [
        ({}, True),
        ({"host_v6": "::1"}, True),
        ({"host_v6": "fd00::2"}, False),
        ({"public_host": "203.0.113.9"}, False),
    ],
)
def test_addresses_of_this_machine_alone_are_known(written: dict[str, str], alone: bool) -> None:
    assert alone == on_loopback(Rtc(**written))
