"""The daemon's life: open, load, READY, serve, drain, stop.

    SIGTERM once    no new calls; the present ones have [calls] drain_ms, then a goodbye
    SIGTERM twice   stop at once: calls are cut, and what is not closed in two seconds is left
    SIGHUP          agents, keys and certificate are read again; open calls do not notice

It does not know how a call is answered or a model loaded.
"""

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from voiced.audit.entries import ReloadRefused
from voiced.audit.model import Audit
from voiced.call.desk import Desk
from voiced.call.residents import Residents
from voiced.config.agent import Agent
from voiced.config.reader import default_agent, read_agents, read_settings
from voiced.config.settings import Http, Rtc, Settings
from voiced.console import routes as console
from voiced.control.attend import Attend
from voiced.control.routes import Control
from voiced.control.server import Server
from voiced.daemon import audited, beside, safe, strained
from voiced.daemon.entrance import Entrance
from voiced.daemon.loading import load
from voiced.daemon.reload import recast, reloads
from voiced.daemon.unit import control_socket, laid_over
from voiced.daemon.watch import Watch
from voiced.errors import UnavailableError
from voiced.ops import host, log, metrics, notify, traces
from voiced.ops.health import VERSION, Health
from voiced.ops.values import plain
from voiced.pipecat import routes as pipecat
from voiced.realtime import routes as realtime
from voiced.realtime.client import Client
from voiced.rtc.addresses import on_loopback
from voiced.rtc.edge import Edge
from voiced.vault.keeper import Keeper
from voiced.web import sisters
from voiced.web.app import Site, application
from voiced.web.keys import LOOPBACK
from voiced.whip import routes as whip

SWITCH_INTERVAL_S = 0.0005
"""How long a thread of Python may hold the others up: the rtc tick must not wait 5 ms for it."""

CLOSING_S = 2.0

AT_ONCE_S = 2.0
"""After the second signal, the system ends the process, whatever it waits for."""

LOST_S = 12.0
"""For the line that tells callers so, and for somebody to hear of the hand-off."""

BY_SIGNAL = "signal"
"""The actor of a reload: whoever may send the daemon SIGHUP."""


Loader = Callable[
    [Settings, Mapping[str, Agent], Agent, AsyncExitStack, Watch], Awaitable[Residents]
]


def run(
    config: Path | None,
    loader: Loader | None = None,
    adjusted: Callable[[Settings], Settings] = lambda settings: settings,
) -> None:
    """Serves until it is told to stop; `loader` in the place of the models' own.

    `adjusted`: the file's settings as they are meant this time. Raises ConfigError,
    UnavailableError or Damaged.
    """
    settings = adjusted(read_settings(config))
    log.to(sys.stderr)
    host.shut_dumps()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        asyncio.run(_serve(settings, config, loader or load))
    except asyncio.CancelledError:
        log.warning("daemon.aborted")


@dataclass(frozen=True, slots=True)
class _Open:
    """What is open before calls are answered, and for as long as they are."""

    config: Path | None
    settings: Settings
    audit: Audit
    entrance: Entrance
    desk: Desk
    keeper: Keeper | None
    health: Health
    watch: Watch
    stop: asyncio.Event
    reload: asyncio.Event


async def _serve(settings: Settings, config: Path | None, loader: Loader) -> None:
    agents = read_agents(settings.calls.agents_dir, config)
    default = default_agent(agents, settings.calls.default_agent)
    given = notify.given_socket()
    http = laid_over(settings.http, given)
    entrance = Entrance(http, settings.fleet)
    health = Health()
    stop = _stop_on_signal(health)
    reload = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, reload.set)
    async with AsyncExitStack() as stack:
        audit = audited.opened(settings, stack)
        edge = await _edge(settings.rtc, http)
        stack.push_async_callback(edge.close, CLOSING_S)
        keeper = await safe.opened(settings.vault, audit, health, stack)
        safe.check(agents.values(), has_key=keeper is not None and keeper.has_key)
        desk = Desk(edge, settings, Client, audit, keeper)
        desk.trace = _traced(settings, stack)
        skins = [*whip.routes(desk), *pipecat.routes(desk), *console.routes(settings.console.phone)]
        own = [
            *sisters.routes(lambda: _room(desk, health)),
            *Attend(health, desk, audit).routes(),
        ]
        routes = [*realtime.routes(desk, entrance.passes, audit), *skins, *own]
        app = application(health, entrance.door, routes, [entrance.sisters.middleware()])
        try:
            site = await Site.open(app, http.host, http.port, given, entrance.context)
        except OSError as error:
            raise UnavailableError(
                f"http: cannot listen on {http.host} port {http.port}: {error.strerror}: stop what "
                "uses it, or write another http.port"
            ) from None
        stack.push_async_callback(site.close)
        asked_at = control_socket(settings.control)
        if asked_at is not None:
            ports = {"http_port": site.port, "udp_port": edge.port}
            verbs = Control(health, desk, ports, entrance.days_left, audit)
            control = await Server.open(asked_at, verbs.routes())
            stack.push_async_callback(control.close)
        watch = Watch(settings)
        watch.add("rtc", "rtc", edge.rounds)
        residents = await loader(settings, agents, default, stack, watch)
        log.info("daemon.ready", version=VERSION, http_port=site.port, udp_port=edge.port)
        audited.began(audit, config, settings, agents, stack)
        await _answer(
            _Open(config, settings, audit, entrance, desk, keeper, health, watch, stop, reload),
            residents,
        )
    log.info("daemon.stopped")
    watch.loss.check()


async def _answer(daemon: _Open, residents: Residents) -> None:
    """Takes calls until it is told to stop, then lets the present ones end."""
    async with asyncio.TaskGroup() as calls:
        residents.strain.told = strained.saying(daemon.health)
        residents.sonic.told = beside.saying(daemon.health)
        residents.sonic.told(residents.sonic.ready)
        daemon.watch.well = lambda: daemon.health.sentence
        daemon.desk.open(residents, calls)

        async def again() -> None:
            nonlocal residents
            has_key = daemon.keeper is not None and daemon.keeper.has_key
            try:
                renew = daemon.entrance.again()
                residents = await recast(daemon.config, daemon.settings, residents, has_key=has_key)
            except Exception:
                daemon.audit.note(ReloadRefused(BY_SIGNAL))
                raise
            daemon.desk.open(residents, calls)
            renew()
            audited.files_in_force(daemon.audit, BY_SIGNAL, daemon.config, daemon.settings)

        daemon.health.why_not = None
        losing = calls.create_task(daemon.watch.loss.run(partial(_lost, daemon)), name="loss")
        watching = calls.create_task(daemon.watch.run(), name="watch")
        asking = calls.create_task(daemon.entrance.sisters.watch(), name="sisters")
        sweeping = calls.create_task(daemon.keeper.run(), name="vault") if daemon.keeper else None
        reloading = calls.create_task(reloads(daemon.reload, again, daemon.health), name="reload")
        host.settle()
        notify.ready()
        notify.status(daemon.health.sentence)
        await daemon.stop.wait()

        reloading.cancel()
        losing.cancel()
        await _empty(daemon)
        watching.cancel()
        asking.cancel()
        if sweeping is not None:
            sweeping.cancel()


async def _edge(rtc: Rtc, http: Http) -> Edge:
    """Raises UnavailableError, ConfigError."""
    if http.host not in LOOPBACK and on_loopback(rtc):
        log.warning("rtc.loopback_only", missing="rtc.host")
    return await Edge.open(rtc)


def _traced(settings: Settings, stack: AsyncExitStack) -> traces.Trace:
    """Where turns' traces go. Raises ConfigError."""
    if not settings.traces.url:
        return traces.nowhere
    collector = traces.opened(settings.traces.url)
    stack.push_async_callback(asyncio.to_thread, collector.close)
    return collector.send


def _lost(daemon: _Open, why: str) -> None:
    """No engine works any more: the daemon stops by itself."""
    log.warning("card.lost", why=plain(why))
    metrics.CARD_LOST.set(1)
    daemon.health.why_not = f"the card is lost: {why}"
    daemon.stop.set()


async def _empty(daemon: _Open) -> None:
    """Lets the calls end: in their own time, or by the line for a lost card."""
    lost = daemon.watch.loss.why is not None
    if not lost:
        daemon.health.why_not = "stopping"
    notify.stopping()
    notify.status(daemon.health.why_not or "")
    daemon.watch.feed = notify.still_stopping
    log.info("daemon.draining", calls=daemon.desk.calls)
    if lost:
        await daemon.desk.lose(LOST_S)
    else:
        await daemon.desk.drain(daemon.settings.calls.drain_ms / 1000)


def _room(desk: Desk, health: Health) -> int:
    """How many more callers are taken now."""
    return max(desk.most - desk.calls, 0) if health.refuses is None else 0


def _stop_on_signal(health: Health) -> asyncio.Event:
    """Set by the first SIGTERM or SIGINT.

    A second one cancels the daemon where it is, and sets the system's own timer: an engine in the
    middle of its work holds nothing up. The first, too, cancels it while it is still loading.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    daemon = asyncio.current_task()
    assert daemon is not None

    def signalled() -> None:
        if stop.is_set() and not any(signal.getitimer(signal.ITIMER_REAL)):
            signal.setitimer(signal.ITIMER_REAL, AT_ONCE_S)  # nobody handles SIGALRM: it kills
        if stop.is_set() or health.starting:
            daemon.cancel()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, signalled)
    return stop
