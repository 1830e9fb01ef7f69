"""Failures that people reported of voice agents, as conversations that must come out right."""

from pathlib import Path

import pytest

from voiced.config.reader import read_json
from voiced.testing.rehearsal import Script
from voiced.testing.rehearse import rehearse
from voiced.testing.verdict import complaints

pytestmark = pytest.mark.flow

TESTS = Path(__file__).parents[1]
GALLERY = TESTS.parent / "docs/examples/gallery"
OURS = sorted((TESTS / "data/rehearsals").glob("*.json"))
EXAMPLES = sorted((GALLERY / "rehearsals").glob("*.json"))
SCRIPTS = [*OURS, *EXAMPLES]


@pytest.mark.parametrize("path", SCRIPTS, ids=[path.stem for path in SCRIPTS])
def test_a_conversation_comes_out_as_its_script_expects(path: Path) -> None:
    script = read_json(Script, path)

    assert [] == complaints(script.expect, rehearse(script, path.parent))


def test_every_script_expects_something() -> None:
    empty = Script(about="-", until=1.0).expect

    assert SCRIPTS
    assert [] == [path.stem for path in SCRIPTS if read_json(Script, path).expect == empty]


def test_a_rehearsal_always_comes_out_the_same() -> None:
    script = read_json(Script, SCRIPTS[0])

    assert rehearse(script) == rehearse(script)


def test_every_example_agent_has_a_rehearsal() -> None:
    agents = {path.stem for path in GALLERY.glob("*.toml")}

    assert agents
    assert agents == {path.stem for path in EXAMPLES}
    assert agents == {Path(read_json(Script, path).agent_file).stem for path in EXAMPLES}
