"""Everything that must be right before the daemon serves, tried without serving.

    files ──> agents ──> ports, clock, device ──> weights ──> memory ──> engines ──> stages

What a check needs is what the checks before it found; where one of those failed, the rest is left
out. The engines are loaded as the daemon loads them (`loading`), so nothing is known twice. It does
not know how a report is shown.
"""

import asyncio
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from voiced.audio.pcm import HEARING_HZ
from voiced.audit.keys import USUAL, sealing_keys
from voiced.call.residents import Residents
from voiced.catalog.store import Store, open_store
from voiced.clock import now, wall
from voiced.config.agent import Agent
from voiced.config.egress import Destination, destinations
from voiced.config.environment import visible_cards
from voiced.config.reader import default_agent, read_agents, read_settings
from voiced.config.settings import Http, Settings
from voiced.config.sonic import Sonic
from voiced.daemon import beside, ink, loading, safe, voices
from voiced.daemon.fit import short_here, short_on_card
from voiced.daemon.plan import Plan, plan, resident
from voiced.daemon.unit import laid_over
from voiced.daemon.watch import Watch
from voiced.errors import UnavailableError, VoicedError
from voiced.flow.cancel import Live, Ticket
from voiced.gpu.card import Card, find, library
from voiced.llm.model import Message, Role
from voiced.ops import host, traces
from voiced.stt.model import Utterance
from voiced.vault.keys import site_keys
from voiced.web import tls
from voiced.web.keys import read_keys

_ENGINES_S = 600.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was tried."""

    name: str
    ok: bool
    detail: str
    fix: str
    """What to do; empty where all is well."""


@dataclass(slots=True)
class Report:
    """What was found."""

    checks: list[Check] = field(default_factory=list)
    plan: Plan | None = None
    free_mb: int = 0
    card: Card | None = None
    egress: tuple[Destination, ...] = ()

    @property
    def ok(self) -> bool:
        return all(check.ok for check in self.checks)

    def add(self, name: str, detail: str, *, ok: bool = True, fix: str = "") -> None:
        self.checks.append(Check(name, ok, detail, fix))

    @contextmanager
    def trying(self, name: str) -> Iterator[None]:
        """A failure inside is that check's, and ends what needed it: _Ended is raised."""
        try:
            yield
        except VoicedError as error:
            detail = str(error)
            what, _, fix = detail.rpartition(": ")
            if "\n" in detail or not what:
                what, fix = detail, "mend each of these"
            self.add(name, what, ok=False, fix=fix)
            raise _Ended from None


class _Ended(Exception):
    """The checks that follow have nothing to stand on."""


def preflight(config: Path | None, *, engines: bool = True) -> Report:
    """Tries everything; takes as long as a start of the daemon.

    Without `engines` only what is written: settings, agents, and the models' files.
    """
    report = Report()
    with suppress(_Ended):
        asyncio.run(_all(config, report, engines=engines))
    return report


async def _all(config: Path | None, report: Report, *, engines: bool) -> None:
    with report.trying("config"):
        settings = read_settings(config)
    report.add("config", str(config or "defaults"))
    with report.trying("agents"):
        agents = read_agents(settings.calls.agents_dir, config)
        default = default_agent(agents, settings.calls.default_agent)
        store = open_store(settings.models)
        profile = store.catalog.profile(settings.models.profile)
        loading.check(agents.values(), profile, store, settings.sonic)
        safe.check(agents.values(), has_key=site_keys(settings.vault) is not None)
    report.add("agents", _agents(agents, default))
    with report.trying("traces"):
        traces.check(settings.traces.url)
    report.egress = destinations(settings, agents)
    http = laid_over(settings.http, None)
    with report.trying("access"):
        _access(http, report)
    if engines:
        _here(http, settings, report)
    local = voices.models(agents.values(), profile, store, settings.sonic)
    with report.trying("weights"):
        _weights(resident(profile, local, settings), store, report)
    if not engines:
        return
    with report.trying("memory"):
        tools = any(agent.tools for agent in agents.values())
        report.plan = plan(profile, local, store, settings, tools=tools)
    _memory(settings, report)
    await _engines(settings, agents, default, report)


def _here(http: Http, settings: Settings, report: Report) -> None:
    """What this machine has and is; a daemon that runs on it takes some of that."""
    _ports(http, settings, report)
    _clock(settings, report)
    _audit(settings, report)
    with report.trying("vault"):
        _vault(settings, report)
    _device(settings, report)
    if settings.sonic.device:
        _beside(settings.sonic, report)


def _agents(agents: Mapping[str, Agent], default: Agent) -> str:
    named = [f"{agent.name} ({', '.join(agent.languages)})" for agent in agents.values()]
    alone = [agent.name for agent in agents.values() if not agent.handoffs]
    lonely = f"; without a hand-off: {', '.join(alone)}" if alone else ""
    return f"{', '.join(named)}; default: {default.name}{lonely}"


def _weights(names: list[str], store: Store, report: Report) -> None:
    for name in names:
        model = store.model(name)
        for file in model.files:
            store.path_of(name, file.name)
    licences = [f"{name} ({store.model(name).licence})" for name in names]
    report.add("weights", f"as the catalogue says: {', '.join(licences)}")


def _memory(settings: Settings, report: Report) -> None:
    """Raises _Ended where something does not fit: to load it would only fail later."""
    assert report.plan is not None
    report.free_mb = host.free_mb()
    needed, card = report.plan.needed_mb, report.card
    told = f"{needed} MB are needed, {report.free_mb} MB are free"
    short = short_here(report.plan, settings, report.free_mb)
    if card is not None and settings.on_card:
        told += f"; on the card {report.plan.card_needed_mb} of {card.free_mb} MB"
        short = short_on_card(report.plan, settings, card.free_mb) or short
    what, _, fix = (short or "").rpartition(": any of these makes it fit: ")
    report.add("memory", what or told, ok=short is None, fix=fix)
    if short is not None or (settings.on_card and card is None):
        raise _Ended


def _access(http: Http, report: Report) -> None:
    """Who may come in, and by which certificate."""
    keys, shown = read_keys(http), tls.read(http)
    asked = "no key is needed: loopback only" if keys is None else "a key is needed"
    report.add("access", asked + ("" if shown is not None else "; plain HTTP, no certificate"))
    if shown is not None:
        days = tls.days_left(shown, wall())
        ok = days >= tls.SOON_DAYS
        report.add(
            "certificate",
            f"for {', '.join(shown.names) or 'no host'}, {days:.0f} days left",
            ok=ok,
            fix="" if ok else "ask for a new one: voiced cert csr; then systemctl reload voiced",
        )


def _ports(http: Http, settings: Settings, report: Report) -> None:
    """Free, or taken by a voiced that runs."""
    tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
    secure = http.certificate_file is not None
    serving = host.answers_as_voiced(http.host, http.port, secure=secure)
    rtc = settings.rtc
    first = rtc.port if rtc.port_range is None else rtc.port_range[0]
    listening = [("http", "host", http.host, http.port, tcp), ("rtc", "host", rtc.host, first, udp)]
    if rtc.host_v6 is not None:
        listening.append(("rtc", "host_v6", rtc.host_v6, first, udp))
    for key, name, where, port, kind in listening:
        place = f"{where} port {port}"
        try:
            free = host.is_free(where, port, kind)
        except OSError as error:
            fix = f"write an address of this machine as {key}.{name}"
            report.add(f"port {key}", f"{place}: {error.strerror}", ok=False, fix=fix)
            continue
        state = "" if free else " is taken by a voiced that runs" if serving else " is taken"
        ok = free or serving
        fix = "" if ok else f"stop what uses it, or write another {key}.port"
        report.add(f"port {key}", place + state, ok=ok, fix=fix)


def _clock(settings: Settings, report: Report) -> None:
    """A demonstration's clock may be wrong; a hospital's audit must not be."""
    right = host.clock_is_set()
    ok = right or not settings.models.production
    detail = "follows a time server" if right else "follows no time server"
    report.add("clock", detail, ok=ok, fix="" if ok else "set up chrony or systemd-timesyncd")


def _audit(settings: Settings, report: Report) -> None:
    """A demonstration needs none; where patients call, who did what must be known."""
    try:
        kept = sealing_keys(settings.audit) is not None
    except VoicedError as error:
        what, _, fix = str(error).rpartition(": ")
        report.add("audit", what, ok=False, fix=fix)
        return
    days = settings.audit.retention_days
    detail = f"kept for {days} days in {settings.audit.dir}" if kept else "not kept: it has no key"
    ok = kept or not settings.models.production
    fix = "" if ok else f"head -c 32 /dev/urandom | base64 > {USUAL}, and keep a copy elsewhere"
    report.add("audit", detail, ok=ok, fix=fix)


def _vault(settings: Settings, report: Report) -> None:
    """Calls can be kept: the site key is the one that they were kept under, and there is room."""
    place, site = settings.vault, site_keys(settings.vault)
    if site is None:
        report.add("vault", "no call is kept: there is no site key")
        return
    safe.try_key(place, site)
    free_mb = host.free_disk_mb(place.dir)
    room = free_mb >= place.spare_mb
    fix = "" if room else "make room, or write a smaller vault.spare_mb"
    detail = f"{place.dir}: site key {site.present.name}, {free_mb} MB are free"
    report.add("vault", detail, ok=room, fix=fix)


def _device(settings: Settings, report: Report) -> None:
    """A card, where stages want one. Without one nothing falls back: it is said."""
    wanted, cores = settings.on_card, len(os.sched_getaffinity(0))
    if not wanted:
        report.add("device", f"no stage wants a card; {cores} cores")
        return
    try:
        report.card = find(library(), visible_cards())
    except UnavailableError as error:
        what, _, fix = str(error).rpartition(": ")
        stages = ", ".join(wanted)
        fix = f"{fix}; or write device = 'cpu' under [stt], [llm] and [tts]"
        report.add("device", f"{stages} on the card: {what}", ok=False, fix=fix)
        return
    card = report.card
    report.add("device", f"{card.name}, driver {card.driver}, {card.free_mb} MB free")


def _beside(sonic: Sonic, report: Report) -> None:
    """Sonic's worker on this machine has a device of its own, large enough."""
    try:
        device = find(library(), sonic.device, "sonic.device")
    except UnavailableError as error:
        what, _, fix = str(error).rpartition(": ")
        report.add("sonic's device", what, ok=False, fix=fix)
        return
    what, _, fix = (beside.unfit(device, report.card) or "").rpartition(": ")
    told = f"{beside.WORKER_MB} of {device.total_mb} MB of {device.name} are its worker's"
    report.add("sonic's device", what or told, ok=not what, fix=fix)


async def _engines(
    settings: Settings, agents: Mapping[str, Agent], default: Agent, report: Report
) -> None:
    async with AsyncExitStack() as stack:
        began = now()
        with report.trying("engines"):
            try:
                async with asyncio.timeout(_ENGINES_S):
                    watch = Watch(settings)
                    residents = await loading.load(settings, agents, default, stack, watch)
            except TimeoutError:
                raise UnavailableError(
                    f"nothing after {_ENGINES_S:.0f} s: see the journal"
                ) from None
        report.add("engines", f"loaded and warm in {now() - began:.1f} s; VAD passed its trial")
        if not residents.sonic.ready:
            report.add("sonic", beside.AWAY, ok=False, fix="look at its worker, then at sonic.url")
        _libraries(report)
        await _stages(residents, default, report)
        for detail, fix in await ink.tried(settings.ink, residents):
            report.add("ink", detail, ok=not fix, fix=fix)


def _libraries(report: Report) -> None:
    """What is really loaded now that every stage has run once, from /proc/self/maps."""
    paths, found = host.libraries(), host.versions()
    wrong = host.clashes(found, paths)
    versions = [f"{name} {number}" for name, number in found.items()]
    report.add(
        "libraries",
        "; ".join([", ".join(versions), *paths]),
        ok=not wrong,
        fix="; ".join(wrong),
    )


async def _stages(residents: Residents, agent: Agent, report: Report) -> None:
    """The voice says the greeting, the recogniser reads it, the language model answers it."""
    language = agent.languages[0]
    live = Live()
    ticket = Ticket("check", live.take, live)
    pcm = ink.greeting(residents, agent)
    seconds = len(pcm) / HEARING_HZ
    report.add("tts", f"the greeting of {agent.name} lasts {seconds:.1f} s")

    began = now()
    with report.trying("stt"):
        utterance = Utterance(pcm, language, agent.hotwords, seconds)
        heard = await residents.stt.transcribe(utterance, ticket)
        if not heard.text:
            raise UnavailableError("nothing was heard of the greeting: run `voiced models verify`")
    report.add("stt", f"read the greeting in {now() - began:.2f} s")

    slot = residents.llm.open(agent, "check")
    began = now()
    with report.trying("llm"):
        reply = slot.answer([Message(Role.USER, heard.text)], agent.sampling, ticket)
        said = [piece async for piece in reply]
        if not any(said):
            raise UnavailableError("it said nothing: run `voiced models verify`")
    slot.close()
    ms = reply.stats.ttft_ms
    report.add("llm", f"first token after {ms:.0f} ms, a reply in {now() - began:.2f} s")
