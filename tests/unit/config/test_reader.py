"""Settings and agents: what is right is read, and what is wrong is told whole, with the remedy."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voiced.config.agent import Agent
from voiced.config.reader import _check, default_agent, read, read_agents, read_settings
from voiced.config.settings import Http, Settings, TurnPace
from voiced.errors import ConfigError

pytestmark = pytest.mark.unit

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
SETTINGS = [path for path in sorted(EXAMPLES.glob("*.toml")) if path.name != "catalog.toml"]

AGENT = """
name = "desk"
languages = ["en"]
prompt = "You answer the telephone."

[lines.en]
greeting = "Good morning."
fallback = "Could you say it again?"
goodbye = "Goodbye."

[voices]
en = "joe"
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A settings file with nothing in it, beside a folder of one agent."""
    (tmp_path / "agents.d").mkdir()
    write(tmp_path / "agents.d" / "desk.toml", AGENT)
    return write(tmp_path / "voiced.toml", "")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def agents(site: Path, text: str | None = None, name: str = "desk") -> dict[str, Agent]:
    directory = site.parent / "agents.d"
    if text is not None:
        write(directory / f"{name}.toml", text)
    return read_agents(directory, site)


def faults(site: Path, text: str) -> list[str]:
    """What is wrong with settings, each without the file's name."""
    write(site, text)
    with pytest.raises(ConfigError) as wrong:
        read_settings(site)
    return [line.removeprefix(f"{site}: ") for line in str(wrong.value).splitlines()]


def agent_faults(site: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as wrong:
        agents(site, text)
    path = site.parent / "agents.d" / "desk.toml"
    return [line.removeprefix(f"{path}: ") for line in str(wrong.value).splitlines()]


def test_without_a_file_the_defaults_hold() -> None:
    assert Settings() == read_settings(None)


def test_an_empty_file_is_the_defaults(site: Path) -> None:
    assert Settings() == read_settings(site)


def test_the_default_without_a_token_is_loopback() -> None:
    assert ("127.0.0.1", "127.0.0.1") == (Settings().http.host, Settings().rtc.host)


def test_values_are_taken_over(site: Path) -> None:
    write(site, "[http]\nport = 9000\n[vad]\nthreshold = 1\n[tts]\ndevice = 'cuda'\n")
    read_back = read_settings(site)

    assert (9000, 1.0, "cuda") == (
        read_back.http.port,
        read_back.vad.threshold,
        read_back.tts.device,
    )


def test_paths_are_relative_to_the_file_and_know_home(site: Path) -> None:
    write(
        site,
        "[http]\ntoken_file = 'secret/token'\n"
        "[models]\ndir = '~/models'\n[calls]\nagents_dir = '/etc/agents'\n",
    )
    read_back = read_settings(site)

    assert (site.parent / "secret/token", Path.home() / "models", Path("/etc/agents")) == (
        read_back.http.token_file,
        read_back.models.dir,
        read_back.calls.agents_dir,
    )


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[htpp]\nport = 1", "htpp: unknown key; did you mean 'http'?"),
        ("[http]\nprot = 1", "http.prot: unknown key; did you mean 'port'?"),
        ("[turn]\nendpoint_delay = 1", "turn.endpoint_delay: unknown key; did you mean 'endpoint_delay_ms'?"),  # noqa: E501
        ("[models]\nxyz = 1", "models.xyz: unknown key; known keys: dir, profile, catalog, production, public_key_file, pins_file, require_signature"),  # noqa: E501
        ("[http]\nport = 'x'", "http.port = 'x': input should be a valid integer"),
        ("[http]\nport = 8080.0", "http.port = 8080.0: input should be a valid integer"),
        ("[stt]\nthreads = true", "stt.threads = True: input should be a valid integer"),
        ("[models]\nproduction = 1", "models.production = 1: input should be a valid boolean"),
        ("[http]\nport = 65536", "http.port = 65536: input should be less than or equal to 65535"),
        ("[vad]\nthreshold = 1.1", "vad.threshold = 1.1: input should be less than or equal to 1"),
        ("[llm]\nslots = 0", "llm.slots = 0: input should be greater than or equal to 1"),
        ("[tts]\ndevice = 'gpu'", "tts.device = 'gpu': input should be 'cpu' or 'cuda'"),
        ("http = 5", "http = 5: input should be an object"),
    ],
)  # fmt: skip
def test_a_fault_names_key_and_value_and_what_to_write(site: Path, text: str, fault: str) -> None:
    assert [fault] == faults(site, text)


def test_not_a_number_is_no_threshold(site: Path) -> None:
    (fault,) = faults(site, "[vad]\nthreshold = nan")

    assert fault.startswith("vad.threshold = ")


def test_all_faults_are_told_at_once(site: Path) -> None:
    told = faults(site, "[htpp]\n[http]\nport = 'x'\nhsot = 'y'\n[llm]\nslots = 0\n")

    assert ["htpp", "http.hsot", "http.port", "llm.slots"] == sorted(
        fault.split(":")[0].split(" ")[0] for fault in told
    )


@pytest.mark.parametrize(
    "text", [f"[http]\nport = '{'x' * 5000}'", "[[http]]\nport = {a = {b = [1, 2, 3]}}\n" * 99]
)
def test_a_long_value_is_told_in_short(site: Path, text: str) -> None:
    (fault,) = faults(site, text)

    assert len(fault) < 120


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"[http\nport", "cannot be read as TOML"),
        (b"host = '\xff'", "cannot be read as TOML"),
        (b"port = " + b"[" * 20_000, "cannot be read as TOML"),
    ],
    ids=["syntax", "encoding", "depth"],
)
def test_a_file_that_is_no_toml_is_named(site: Path, content: bytes, reason: str) -> None:
    site.write_bytes(content)
    with pytest.raises(ConfigError) as wrong:
        read_settings(site)

    assert str(wrong.value).startswith(f"{site}: {reason}")


@pytest.mark.parametrize(("name", "reason"), [("none.toml", "no such file"), ("agents.d", "read")])
def test_a_file_that_cannot_be_read_is_named(site: Path, name: str, reason: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}.*{reason}"):
        read_settings(site.parent / name)


def test_one_section_can_be_a_file_of_its_own(tmp_path: Path) -> None:
    assert Http(port=1) == read(Http, write(tmp_path / "http.toml", "port = 1"))


@settings(max_examples=6, deadline=None)
@given(st.recursive(st.integers() | st.text() | st.booleans(), lambda inner: st.lists(inner)))
def test_whatever_is_written_is_read_or_refused(value: object) -> None:
    """No fault of a file may leave as anything but a ConfigError."""
    for table in ({"http": value}, {"http": {"port": value}}, {"models": {"catalog": value}}):
        with suppress(ConfigError):
            _check(Settings, table, Path("voiced.toml"))


def test_agents_are_read_by_name(site: Path) -> None:
    agents(site, AGENT.replace("desk", "ward"), name="ward")

    assert ["desk", "ward"] == list(agents(site))


def test_an_agent_s_pace_is_laid_over_the_site_s_key_by_key(site: Path) -> None:
    write(site, "[turn]\nbarge_in_ms = 111\nendpoint_delay_ms = 222\n[budget]\nstt = 33\n")
    agent = agents(site, AGENT + "[turn]\nbarge_in_ms = 999\n")["desk"]

    assert (999, 222, 20_000, 33) == (
        agent.turn.barge_in_ms,
        agent.turn.endpoint_delay_ms,
        agent.turn.answer_deadline_ms,
        agent.budget.stt,
    )


def test_one_agent_s_pace_is_not_another_s(site: Path) -> None:
    agents(site, AGENT.replace("desk", "ward") + "[turn]\nbarge_in_ms = 1\n", name="ward")
    both = agents(site)

    paces_ms = {name: agent.turn.barge_in_ms for name, agent in both.items()}
    assert {"desk": TurnPace().barge_in_ms, "ward": 1} == paces_ms


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (("greeting", "greting"), "lines.en.greting: unknown key; did you mean 'greeting'?"),
        (("greeting", "greting"), "lines.en.greeting: is missing and has no default"),
        (("prompt", "promt"), "promt: unknown key; did you mean 'prompt'?"),
        (('["en"]', '["en", "de"]'), "languages has 'de': write a table [lines.de]"),
        (('["en"]', '["en", "de"]'), "languages has 'de': write de = ... under [voices]"),
        (('["en"]', "[]"), "languages = []: "),
        (('["en"]', '["english"]'), "languages.0 = 'english': string should match pattern"),
        (("en = ", "english = "), "voices.english = 'english': string should match pattern"),
        (('"desk"', '"ward"'), "name = 'ward': write 'desk', or rename the file"),
        (('"desk"', '"The Desk"'), "name = 'The Desk': string should match pattern"),
    ],
)
def test_an_agent_s_fault_is_told(site: Path, change: tuple[str, str], fault: str) -> None:
    told = agent_faults(site, AGENT.replace(*change))

    assert [fault] == [line[: len(fault)] for line in told if line.startswith(fault)]


TOOL = "[[tools]]\nname = 'find'\ndescription = 'Finds.'\n"


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        (TOOL + "kind = 'http'\nulr = 'x'", "tools.0.ulr: unknown key; did you mean 'url'?"),
        (TOOL + "kind = 'http'", "tools: 'find' is of kind http: write its url"),
        (TOOL + "kind = 'http'\nurl = 'ftp://x'", "tools: url = 'ftp://x': write http://... or https://..."),
        (TOOL + "kind = 'client'\n" + TOOL + "kind = 'client'", "tools: 'find' stands twice: write another name"),  # noqa: E501
        (TOOL + "kind = 'client'\n[tools.parameters]\ntype = 'thing'", "tools: 'find': parameters: 'thing' is not valid under any of the given schemas: write a JSON schema"),  # noqa: E501
        (TOOL + "kind = 'client'\n[tools.parameters]\ntype = 'string'", "tools: 'find': parameters: write type = 'object'"),  # noqa: E501
        (TOOL + "kind = 'shell'", "tools.0.kind = 'shell': input should be 'client' or 'http'"),
        ("[vault]\ntranscripts = true", "vault keeps calls: write lines.en.disclosure and lines.en.consent: said before anything is kept"),  # noqa: E501
        ("[vault]\nrecordings = true", "vault keeps calls: write lines.en.disclosure and lines.en.consent: said before anything is kept"),  # noqa: E501
        ("[red_flags]\nen = ['chest pain']", "red_flags need somebody to hand off to: write a [[handoffs]] table"),  # noqa: E501
        ("[[handoffs]]\nkind = 'webhook'", "handoffs: kind 'webhook' needs url"),
        ("[[handoffs]]\nkind = 'webhook'\nurl = 'desk'", "handoffs: url = 'desk': write http://... or https://..."),  # noqa: E501
        ("[[handoffs]]\nkind = 'operator'", "handoffs: kind 'operator' alone: nobody may be watching: write another [[handoffs]] table of kind webhook or line behind it"),  # noqa: E501
        ("[[handoffs]]\nkind = 'line'", "handoffs: kind 'line' needs line"),
        ("[sampling]\ntemprature = 1.0", "sampling.temprature: unknown key; did you mean 'temperature'?"),  # noqa: E501
        ("[turn]\nbargein_ms = 1", "turn.bargein_ms: unknown key; did you mean 'barge_in_ms'?"),
        ("[vault]\nretention_days = 0", "vault.retention_days = 0: input should be greater than or equal to 1"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_fault_of_what_an_agent_may_do_is_told(site: Path, more: str, fault: str) -> None:
    assert [fault] == agent_faults(site, AGENT + more)


BOTH = (
    AGENT.replace('["en"]', '["en", "ko"]')
    + "ko = 'jia'\n[lines.ko]\ngreeting = 'a'\nfallback = 'b'\ngoodbye = 'c'\n"
)


@pytest.mark.parametrize(
    ("change", "more", "fault"),
    [
        (
            ("[lines.en]", "[lines.en]\nstill_there = 'Hello?'"),
            "",
            "lines.ko has no still_there, which another language has: write it there too",
        ),
        (
            ("[lines.ko]", "[lines.ko]\nred_flag = 'd'"),
            "",
            "lines.en has no red_flag, which another language has: write it there too",
        ),
        (
            ("", ""),
            "[[handoffs]]\nkind = 'line'\nline = 'Call 5550100.'\n",
            "lines.ko has no hand_off, which another language has: write it there too",
        ),
        (("", ""), "[prompts]\nde = 'x'\n", "prompts has 'de': write one of languages: en, ko"),
    ],
)
def test_what_can_be_said_in_one_language_can_be_said_in_all(
    site: Path, change: tuple[str, str], more: str, fault: str
) -> None:
    """A call may go on in any of them."""
    assert [fault] == agent_faults(site, BOTH.replace(*change, 1) + more)


def test_a_language_has_its_own_prompt_and_line_of_a_hand_off(site: Path) -> None:
    text = BOTH.replace("[lines.ko]", "[lines.ko]\nhand_off = 'd'\nfiller = 'e'")
    more = "[prompts]\nko = 'x'\n[[handoffs]]\nkind = 'line'\nline = 'Call 5550100.'\n"
    desk = agents(site, text + more)["desk"]

    assert ("You answer the telephone.", "x") == (desk.prompt_in("en"), desk.prompt_in("ko"))
    assert ("Call 5550100.", "d") == (desk.handoff_line("en"), desk.handoff_line("ko"))


def test_an_agent_that_needs_sources_needs_a_line_and_where_it_says_so_somebody(site: Path) -> None:
    told = agent_faults(site, "grounding = 'handoff'\n" + AGENT)

    assert [
        "grounding = 'handoff': write not_known under [lines.en]: what is said instead",
        "grounding = 'handoff': write a [[handoffs]] table, or 'line'",
    ] == told


def test_sources_are_needed_only_in_languages_that_are_understood(site: Path) -> None:
    german = AGENT.replace('["en"]', '["de"]').replace("lines.en", "lines.de")
    told = agent_faults(site, "grounding = 'line'\n" + german.replace("en = ", "de = "))

    assert ["grounding = 'line': 'de' is not among: en, ko"] == told


@pytest.mark.parametrize(
    "more",
    [
        TOOL + "kind = 'client'",
        TOOL + "kind = 'http'\nurl = 'http://10.0.0.1/'\n[tools.parameters]\ntype = 'object'",
        "[red_flags]\nen = ['chest pain']\n[[handoffs]]\nkind = 'operator'\n"
        "[[handoffs]]\nkind = 'line'\nline = 'Dial 112.'",
        "[[handoffs]]\nkind = 'line'\nline = 'Dial 112.'",
    ],
)
def test_what_an_agent_may_do_is_read(site: Path, more: str) -> None:
    assert "desk" in agents(site, AGENT + more)


def test_faults_of_all_agents_are_told_at_once(site: Path) -> None:
    agents_dir = site.parent / "agents.d"
    write(agents_dir / "one.toml", "name = 1")
    write(agents_dir / "two.toml", "name =")
    with pytest.raises(ConfigError) as wrong:
        agents(site)

    assert {"one.toml", "two.toml"} == {
        Path(line.split(":")[0]).name for line in str(wrong.value).splitlines()
    }


def test_without_agents_there_is_nobody_to_answer(site: Path) -> None:
    (site.parent / "agents.d" / "desk.toml").unlink()

    with pytest.raises(ConfigError, match=r"agents\.d: no agent: put at least one"):
        agents(site)


def test_a_folder_that_is_not_there_is_named(site: Path) -> None:
    with pytest.raises(ConfigError, match=r"calls\.agents_dir = '.*none': there is no such"):
        read_agents(site.parent / "none", site)


def test_the_only_agent_answers_whoever_names_none(site: Path) -> None:
    known = agents(site)

    assert known["desk"] is default_agent(known, "")


def test_of_several_agents_one_must_be_named(site: Path) -> None:
    agents(site, AGENT.replace("desk", "ward"), name="ward")
    known = agents(site)
    with pytest.raises(ConfigError, match=r"calls\.default_agent = '': write one of: desk, ward"):
        default_agent(known, "")

    assert known["ward"] is default_agent(known, "ward")


def test_a_default_agent_that_nobody_is_is_refused(site: Path) -> None:
    with pytest.raises(ConfigError, match=r"calls\.default_agent = 'dsek': write one of: desk"):
        default_agent(agents(site), "dsek")


@pytest.mark.parametrize("path", SETTINGS, ids=lambda path: str(path.stem))
def test_the_examples_are_right(path: Path) -> None:
    read_back = read_settings(path)
    known = read_agents(read_back.calls.agents_dir, path)

    assert default_agent(known, read_back.calls.default_agent).name in known
