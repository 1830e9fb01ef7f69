"""Whom the daemon may speak to: all that the configuration names, and nobody by default."""

import dataclasses
import re
import typing

import pytest

from voiced.config.agent import Agent, Handoff, Lines, Tool
from voiced.config.egress import Destination, destinations
from voiced.config.ink import Ink
from voiced.config.remote import Remote
from voiced.config.settings import Fleet, Llm, Settings, Traces
from voiced.config.sonic import Cloning, SageMaker, Sonic

pytestmark = pytest.mark.unit

NAMED = {
    "agent.handoffs.url",
    "agent.tools.url",
    "fleet.sisters",
    "ink.url",
    "llm.remote.url",
    "sonic.cloning.url",
    "sonic.sagemaker.endpoint",
    "sonic.sagemaker.host",
    "sonic.url",
    "sonic.worker_metrics",
    "traces.url",
}
"""Keys that name whom to reach; each has a test below."""

LISTENED_ON = {
    "http.host",
    "rtc.host",
    "rtc.host_v6",
    "rtc.public_host",
    "rtc.public_host_v6",
}
"""Addresses of this machine."""

AGENT = Agent(
    name="desk",
    languages=("en",),
    prompt="-",
    lines={"en": Lines(greeting="a", fallback="b", goodbye="c")},
    voices={"en": "joe"},
)


def places(sonic: Sonic | None = None, agent: Agent = AGENT) -> list[tuple[str, int]]:
    settings = Settings(sonic=sonic or Sonic())
    return [(one.host, one.port) for one in destinations(settings, {agent.name: agent})]


def test_by_default_nobody_is_reached() -> None:
    assert [] == places()


def test_ink_is_named_and_the_voices_that_go_there() -> None:
    [one] = destinations(Settings(ink=Ink(url="https://api.cartesia.ai")), {})

    assert ("api.cartesia.ai", 443, "ink.url: hearing") == (one.host, one.port, one.why)
    assert "sound of everything that callers say" in one.carries


def test_sonic_and_its_workers_are_named_and_the_words_that_go_there() -> None:
    sonic = Sonic(url="http://sonic.lan:5000", worker_metrics=("http://10.0.0.7:8080/metrics",))

    speech, ready = destinations(Settings(sonic=sonic), {})
    assert ("sonic.lan", 5000) == (speech.host, speech.port)
    assert "text of every reply" in speech.carries
    assert Destination(
        "10.0.0.7", 8080, "sonic.worker_metrics: is it ready", "nothing of a caller"
    ) == (ready)


def test_a_port_that_is_not_written_is_the_schemes() -> None:
    assert [("h", 443)] == places(Sonic(url="https://h"))
    assert [("h", 80)] == places(Sonic(url="http://h"))
    assert [("::1", 5000)] == places(Sonic(url="http://[::1]:5000"))


def test_an_endpoint_of_sagemaker_has_aws_hosts() -> None:
    own = SageMaker(endpoint="sonic", region="eu-central-1")

    assert [
        ("runtime.sagemaker.eu-central-1.amazonaws.com", 443),
        ("api.sagemaker.eu-central-1.amazonaws.com", 443),
        ("169.254.169.254", 80),
    ] == places(Sonic(sagemaker=own))
    private = dataclasses.replace(own, host="vpce-1.sagemaker.eu-central-1.vpce.amazonaws.com")
    assert private.host == places(Sonic(sagemaker=private))[0][0]


def test_a_collector_of_traces_is_named_and_gets_no_word() -> None:
    settings = Settings(traces=Traces(url="https://otel.lan/v1/traces"))

    collector = Destination(
        "otel.lan", 443, "traces.url: how long turns took", "nothing of a caller"
    )
    assert (collector,) == destinations(settings, {})


def test_the_cloud_that_clones_is_named_too() -> None:
    sonic = Sonic(cloning=Cloning(url="https://api.cartesia.ai"))

    assert [("api.cartesia.ai", 443)] == places(sonic)


def test_tools_and_webhooks_of_agents_are_named() -> None:
    tool = Tool(name="look_up", description="-", kind="http", url="https://his.lan/api")
    local = Tool(name="show", description="-", kind="client")
    agent = dataclasses.replace(
        AGENT,
        tools=(tool, local),
        handoffs=(Handoff(kind="webhook", url="http://desk.lan:81/x"), Handoff(kind="operator")),
    )

    assert [("his.lan", 443), ("desk.lan", 81)] == places(agent=agent)


def test_a_language_model_elsewhere_is_named_and_what_it_is_told() -> None:
    settings = Settings(llm=Llm(remote=Remote(url="https://gpu.lan/v1-gate")))

    (only,) = destinations(settings, {})
    assert ("gpu.lan", 443) == (only.host, only.port)
    assert "whole conversation" in only.carries


HOSTS = re.compile(r"(url|host|endpoint|(?<!per_)address|server|proxy|sister)s?(_v6)?$|worker")


def keys(kind: type, at: str = "") -> set[str]:
    """Every key of a table and of the tables in it that may name a host."""
    found = set()
    for name, hint in typing.get_type_hints(kind).items():
        inner = [one for one in (hint, *typing.get_args(hint)) if dataclasses.is_dataclass(one)]
        for table in inner:
            found |= keys(typing.cast(type, table), f"{at}{name}.")
        if not inner and re.search(HOSTS, name):
            found.add(at + name)
    return found


def test_no_key_names_a_host_without_its_being_told() -> None:
    """A new key is put into the list, and into NAMED, or it is an address of this machine."""
    found = keys(Settings) | keys(Agent, "agent.")

    assert NAMED | LISTENED_ON == found


def test_sister_nodes_are_named() -> None:
    settings = Settings(fleet=Fleet(sisters=("https://b.lan:8443",)))

    (only,) = destinations(settings, {})
    assert ("b.lan", 8443, "nothing of a caller") == (only.host, only.port, only.carries)
