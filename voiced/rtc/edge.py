"""The network edge: one thread, one loop, one UDP port, and every caller's peer on them.

    main loop                         rtc thread
    ---------                         ----------
    Edge.open ───────────────────────> binds the socket, runs the loop
    Edge.answer(offer, line) ────────> a Peer; its facts come back through line.told
    Edge.close ──────────────────────> closes every peer; the thread ends

No packet ever changes threads. Nothing else runs on this loop, and where the system permits it the
thread is scheduled ahead of all that computes. It does not know calls, HTTP or models.
"""

import asyncio
import os
import threading
from concurrent.futures import Future

from aiortc import RTCSessionDescription

from voiced import clock
from voiced.config.settings import Rtc
from voiced.errors import ConfigError, Refused, UnavailableError
from voiced.ops import log
from voiced.ops.watchdog import Rounds
from voiced.rtc import ice, opus, sdp
from voiced.rtc.addresses import places
from voiced.rtc.facts import Pressed
from voiced.rtc.keypad import Keypad
from voiced.rtc.outbound import Outbound
from voiced.rtc.peer import Line, Peer
from voiced.rtc.ports import Ports

__all__ = ["Edge", "Line", "Peer"]

_SWEEP_S = 0.25
_MEASURED_SWEEP = 4
_PRIORITY = 2


class Edge:
    """Opened and used on the main loop."""

    def __init__(self, settings: Rtc) -> None:
        self.rounds = Rounds(clock.now())
        """Shows that the rtc loop is alive. Any thread."""
        self.port = settings.port
        """The UDP port that is bound."""
        self._settings = settings
        self._peers: set[Peer] = set()
        self._stopping = False
        self._loop = asyncio.new_event_loop()
        self._ended: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="rtc")
        self._opened: Future[None] = Future()
        self._ports: Ports
        self._tasks: asyncio.TaskGroup
        self._stop: asyncio.Event

    @classmethod
    async def open(cls, settings: Rtc) -> "Edge":
        """Binds the port and starts the thread.

        Raises UnavailableError when the port is taken, ConfigError for an address that is none.
        """
        places(settings)
        first, last = settings.port_range or (1, 1)
        if not 0 < first <= last:
            written = f"rtc.port_range = [{first}, {last}]"
            raise ConfigError(f"{written}: write the first port and the last one")
        ice.prepare()
        opus.library()
        edge = cls(settings)
        edge._thread.start()
        try:
            await asyncio.wrap_future(edge._opened)
        except BaseException:
            edge._thread.join()
            raise
        return edge

    async def answer(self, offer: str, line: Line) -> tuple[str, Peer]:
        """The SDP answer to a caller's offer, and the peer. Raises Refused."""
        checked = sdp.check(offer)
        if self._stopping or self._loop.is_closed():
            raise _stopping()
        future = asyncio.run_coroutine_threadsafe(self._answer(checked, line), self._loop)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._stopping and task is not None and not task.cancelling():
                raise _stopping() from None  # the edge went, not whoever asked
            raise

    async def close(self, deadline_s: float) -> None:
        """Closes every peer, within the deadline, then the socket, the loop and the thread."""
        self._stopping = True
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._begin_to_stop, deadline_s)
            await asyncio.wrap_future(self._ended)
        self._thread.join()

    # -- on the rtc thread -----------------------------------------------------------------------

    def _run(self) -> None:
        _prefer()
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        except OSError as error:
            self._opened.set_exception(
                UnavailableError(
                    f"rtc: cannot listen on UDP {error.filename} port "
                    f"{_first(self._settings)}: {error.strerror}: stop what uses it, or write "
                    "another rtc.port"
                )
            )
        except Exception as error:  # noqa: BLE001 - the thread's border: the watchdog sees it end
            log.failure("rtc.failed", error)
            if not self._opened.done():
                self._opened.set_exception(error)
        finally:
            self._drain()
            self._ended.set_result(None)

    async def _serve(self) -> None:
        self._ports = await Ports.open(self._settings)
        self._stop = asyncio.Event()
        self.port = self._ports.port
        try:
            async with asyncio.TaskGroup() as self._tasks:
                sweep = self._tasks.create_task(self._sweep())
                self._opened.set_result(None)
                await self._stop.wait()
                sweep.cancel()
        finally:
            self._ports.close()

    async def _sweep(self) -> None:
        """Looks after deadlines, reads the reports, shows that the loop is alive."""
        round_ = 0
        while True:
            await asyncio.sleep(_SWEEP_S)
            round_ += 1
            at = clock.now()
            self.rounds.came(at)
            self._peers = {peer for peer in self._peers if not peer.closed}
            for peer in tuple(self._peers):
                try:
                    peer.watch(at, self._settings)
                    if round_ % _MEASURED_SWEEP == 0:
                        await peer.measure()
                except Exception as error:  # noqa: BLE001 - a call's border: others go on
                    log.failure("peer.failed", error)
                    peer.end("lost")

    async def _answer(self, offer: sdp.Offer, line: Line) -> tuple[str, Peer]:
        connection = ice.peer_connection()
        try:
            line.inbound.begin(offer.codec)
            connection.addTrack(Outbound(line.playout, line.inbound, offer.codec))
            transceiver = connection.getTransceivers()[0]
            ice.only(transceiver, offer.codec.mime)
            ice.replace_buffer(transceiver.receiver, _buffer(offer, line))
            await connection.setRemoteDescription(RTCSessionDescription(offer.text, "offer"))
            if offer.keys is not None:
                ice.accept_keys(transceiver, offer.keys, offer.codec.rtp_hz)
            legs = ice.confine(connection, await self._ports.take())
            await connection.setLocalDescription()
            text = sdp.answer(offer, connection.localDescription.sdp)
        except BaseException as error:
            await connection.close()
            if isinstance(error, Refused) or not isinstance(error, Exception):
                raise
            log.provoked("offer.refused", error)
            raise Refused(400, "not-sdp", "the offer cannot be answered") from None
        peer = Peer(connection, legs, line, self._tasks, offer.codec.rtp_hz)
        self._peers.add(peer)
        if self._stopping:
            peer.end("closed")
            raise _stopping()
        return text, peer

    def _begin_to_stop(self, deadline_s: float) -> None:
        self._tasks.create_task(self._close_peers(deadline_s))

    async def _close_peers(self, deadline_s: float) -> None:
        shut = asyncio.ensure_future  # noqa: TID251 - waited for below, with a deadline
        closing = [shut(peer.shut("closed")) for peer in self._peers]
        if closing:
            await asyncio.wait(closing, timeout=deadline_s)
        self._stop.set()

    def _drain(self) -> None:
        """Cancels what the libraries left running, and closes the loop."""
        left = asyncio.all_tasks(self._loop)
        for task in left:
            task.cancel()
        if left:
            self._loop.run_until_complete(asyncio.wait(left, timeout=1.0))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


def _buffer(offer: sdp.Offer, line: Line) -> ice.Buffer:
    """Where the caller's packets go: keys that are pressed are told, all else is sound."""
    if offer.keys is None:
        return line.inbound
    return Keypad(line.inbound, offer.keys, lambda key: line.told(Pressed(clock.now(), key)))


def _stopping() -> Refused:
    return Refused(503, "closing", "the daemon is stopping")


def _first(settings: Rtc) -> int:
    return settings.port if settings.port_range is None else settings.port_range[0]


def _prefer() -> None:
    """Schedules this thread, and none that it starts, ahead of ordinary ones."""
    try:
        policy = os.SCHED_RR | os.SCHED_RESET_ON_FORK
        os.sched_setscheduler(0, policy, os.sched_param(_PRIORITY))
    except (OSError, AttributeError):
        log.warning("rtc.unprivileged", wanted="LimitRTPRIO")
