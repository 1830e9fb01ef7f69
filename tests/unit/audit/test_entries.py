"""What may be recorded: a closed set of facts, with no room for what was said."""

from dataclasses import fields
from typing import get_args

import pytest

from voiced.audit.chain import OWN
from voiced.audit.entries import CallOpened, Entry, VaultRead, values
from voiced.words import Words

pytestmark = pytest.mark.unit


def test_no_two_entries_have_the_same_name() -> None:
    names = [kind.EVENT for kind in get_args(Entry)]

    assert len(names) == len(set(names))


def test_no_entry_has_a_field_of_the_chains_own() -> None:
    taken = [kind.EVENT for kind in get_args(Entry) if set(OWN) & {f.name for f in fields(kind)}]

    assert [] == taken


def test_what_is_not_there_is_left_out() -> None:
    assert {"actor": "uid:0", "what": "list"} == values(VaultRead("uid:0", None, "list"))


@pytest.mark.parametrize("said", [Words("penicillin"), "I take penicillin", b"penicillin"])
def test_a_callers_words_are_refused(said: object) -> None:
    with pytest.raises(TypeError) as refusal:
        values(CallOpened("a1", "reception", "10.0.0.9", said))  # type: ignore[arg-type]

    assert "penicillin" not in str(refusal.value)
