"""Whom the daemon may speak to besides its callers: each host that the configuration names.

What is not in this list is not reached: nothing else of the program opens a connection. It does not
know whether a host answers, and connects to none.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from voiced.config.agent import Agent
from voiced.config.ink import Ink
from voiced.config.remote import Remote
from voiced.config.settings import Fleet, Settings, Traces
from voiced.config.sonic import Sonic

_SPEECH = "the text of every reply, clause by clause; no sound, no name of the caller"
_CONVERSATION = "the text of each whole conversation, with the agent's prompt; no sound"
_VOICE = "the sound of everything that callers say, and the agent's hotwords"
_NOTHING = "nothing of a caller"


@dataclass(frozen=True, slots=True)
class Destination:
    """One host and port, and why it is reached."""

    host: str
    port: int
    why: str
    """Key of the setting that names it, and what it is for."""
    carries: str
    """What of a caller goes there."""


def destinations(settings: Settings, agents: Mapping[str, Agent]) -> tuple[Destination, ...]:
    """Everything that the configuration names to be reached, in the order of the files."""
    return (
        *_llm(settings.llm.remote),
        *_sonic(settings.sonic),
        *_ink(settings.ink),
        *_fleet(settings.fleet),
        *_traces(settings.traces),
        *(one for agent in agents.values() for one in _agent(agent)),
    )


def destination(url: str, why: str, carries: str) -> Destination:
    """The host and port of a URL."""
    parts = urlsplit(url)
    secure = parts.scheme in ("https", "wss")
    return Destination(parts.hostname or "", parts.port or (443 if secure else 80), why, carries)


def aws_host(sonic: Sonic) -> str:
    """Where SageMaker's run time answers."""
    own = sonic.sagemaker
    return own.host or f"runtime.sagemaker.{own.region}.amazonaws.com"


def _llm(remote: Remote) -> Iterator[Destination]:
    if remote.url:
        yield destination(remote.url, "llm.remote.url: the language model", _CONVERSATION)


def _fleet(fleet: Fleet) -> Iterator[Destination]:
    for sister in fleet.sisters:
        yield destination(sister, "fleet.sisters: how much room it has", _NOTHING)


def _traces(traces: Traces) -> Iterator[Destination]:
    if traces.url:
        yield destination(traces.url, "traces.url: how long turns took", _NOTHING)


def _sonic(sonic: Sonic) -> Iterator[Destination]:
    if sonic.url:
        yield destination(sonic.url, "sonic.url: speech", _SPEECH)
    for page in sonic.worker_metrics:
        yield destination(page, "sonic.worker_metrics: is it ready", _NOTHING)
    if sonic.sagemaker.endpoint:
        yield Destination(aws_host(sonic), 443, "sonic.sagemaker.endpoint: speech", _SPEECH)
        control = f"api.sagemaker.{sonic.sagemaker.region}.amazonaws.com"
        yield Destination(control, 443, "sonic.sagemaker.endpoint: is it ready", _NOTHING)
        why = "sonic.sagemaker.endpoint: credentials, where boto3 asks the instance for them"
        yield Destination("169.254.169.254", 80, why, _NOTHING)
    if sonic.cloning.url:
        yield destination(
            sonic.cloning.url,
            "sonic.cloning.url: `voiced voices clone`, and never the daemon",
            "nothing of a caller; the recording of the person whose voice is cloned",
        )


def _ink(ink: Ink) -> Iterator[Destination]:
    if ink.url:
        yield destination(ink.url, "ink.url: hearing", _VOICE)


def _agent(agent: Agent) -> Iterator[Destination]:
    for tool in agent.tools:
        if tool.kind == "http" and tool.url:
            why = f"agent {agent.name}: tools: {tool.name}"
            yield destination(tool.url, why, "the arguments that the model fills in")
    for handoff in agent.handoffs:
        if handoff.kind == "webhook" and handoff.url:
            why = f"agent {agent.name}: handoffs: webhook"
            yield destination(handoff.url, why, "that a call is handed off, and why; no word of it")
