"""What is made vouches for the hosts that were named, and for nothing else."""

from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec

from voiced.errors import ConfigError
from voiced.web import issuing

pytestmark = pytest.mark.unit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
NAMES = ["voice.hospital.example", "10.1.2.3"]


def test_a_certificate_that_vouches_for_itself() -> None:
    key = issuing.new_key()
    made = issuing.self_signed(key, NAMES, 90, NOW)
    made.verify_directly_issued_by(made)
    named = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert NOW + timedelta(days=90) == made.not_valid_after_utc
    assert made.not_valid_before_utc < NOW
    assert NAMES[:1] == named.get_values_for_type(x509.DNSName)
    assert NAMES[1:] == [str(one) for one in named.get_values_for_type(x509.IPAddress)]
    assert not made.extensions.get_extension_for_class(x509.BasicConstraints).value.ca


def test_a_request_is_signed_by_its_own_key_and_names_the_same() -> None:
    asked = issuing.request(issuing.new_key(), NAMES)
    named = asked.extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert asked.is_signature_valid
    assert 2 == len(list(named))


def test_a_key_is_read_back_as_it_was() -> None:
    key = issuing.new_key()
    again = issuing.read_key(issuing.key_pem(key))

    assert key.private_numbers() == again.private_numbers()
    assert isinstance(again.curve, ec.SECP256R1)


@pytest.mark.parametrize(
    "name", ["", "a b", "http://x", "-x.example", "x" * 64, "köln.example", "*"]
)
def test_a_name_that_is_no_host_is_told(name: str) -> None:
    with pytest.raises(ConfigError, match="write a host"):
        issuing.request(issuing.new_key(), [name])


def test_a_long_host_stands_among_the_alternatives_alone() -> None:
    name = ".".join(["a" * 30] * 4)
    made = issuing.self_signed(issuing.new_key(), [name], 1, NOW)

    assert [] == list(made.subject)
