"""The assembled network: hosts, a router that shapes both ways, and the path beyond it.

    clients -- router: egress qdisc --> [second bottleneck] --> wire --> servers
    clients <-- router: ingress qdisc <-- [second bottleneck] <-- wire <-- servers

Upload data passes the egress qdisc and its acknowledgements the ingress qdisc; downloads the other
way round.  A `Simulation` is put together, run once, and reports a `Result`.  The same calls with
the same seed give the same result to the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from tcc.engine.events import Schedule
from tcc.engine.fifo import Fifo
from tcc.engine.packet import PacketPool
from tcc.engine.path import Interface, Switch, Wire
from tcc.engine.probe import Echo, Probe
from tcc.engine.random import Random
from tcc.engine.results import FlowResult, Result, Watch, report
from tcc.engine.tcp.bbr import Bbr
from tcc.engine.tcp.cubic import Cubic
from tcc.engine.tcp.options import OptionPool
from tcc.engine.tcp.receiver import Receiver
from tcc.engine.tcp.reno import Reno
from tcc.engine.tcp.sender import Sender
from tcc.engine.udp import DEFAULT_BUFFER, UdpReceiver, UdpSender

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tcc.engine.measure import Histogram
    from tcc.engine.queue_disc import QueueDisc
    from tcc.engine.sink import Endpoint, Sink
    from tcc.engine.tcp.socket import Congestion

    MakeDevice = Callable[[Schedule, QueueDisc, Sink, OptionPool, int | None], Interface]

__all__ = ["FlowResult", "Path", "Result", "Simulation"]

Direction = Literal["up", "down"]
CONTROLS: dict[str, Callable[[], Congestion]] = {"cubic": Cubic, "reno": Reno, "bbr": Bbr}
SECOND = 1_000_000_000
NO_END = 1 << 62
MIX = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Path:
    """What lies beyond the router.

    Attributes:
        rtt: round trip without queues (ns).
        upstream: the part of it that lies in the direction of uploads; None for half.
        loss: random loss in each direction, in packets of 2**32.
        lose_every: each so-manieth packet of uploads is lost; 0 for none.
        jitter: most extra delay (ns) in each direction, drawn evenly.
        beyond: rate of a second bottleneck in each direction (bit/s); 0 for none.
        beyond_limit: its queue, a FIFO of so many bytes.
        device: rate of the router's devices (bit/s); 0 for ones that send at once, as veth.
    """

    rtt: int
    upstream: int | None = None
    loss: int = 0
    lose_every: int = 0
    jitter: int = 0
    beyond: int = 0
    beyond_limit: int = 256 * 1024
    device: int = 0


class Observer(Protocol):
    """Somebody who looks at a simulation at fixed moments of the measured time.

    Attributes:
        interval: between looks (ns).
    """

    interval: int

    def begin(self) -> None:
        """The measured time begins."""

    def sample(self) -> None:
        """An interval is over; the last may be shorter."""

    def end(self) -> None:
        """The measured time is over."""


class Simulation:
    """A network, put together step by step and run once.

    Args:
        seed: of every random number.
        local: the clients' sockets are on the machine that shapes (role `host`), so its qdiscs
            hold their memory; otherwise it is a router.
        nat: hosts share one address beyond the router, and qdiscs see only that.
    """

    def __init__(self, seed: int = 1, *, local: bool = False, nat: bool = False) -> None:
        self.seed = seed
        self.local = local
        self.nat = nat
        self.pool = PacketPool(4096)
        self.schedule = Schedule(self.pool)
        self.options = OptionPool()
        self.flows: list[Watch] = []
        self.path: Path | None = None
        self.greatest_buffer = 6291456
        self._groups: dict[str, int] = {}

    def random(self, stream: int) -> Random:
        """Return numbers for one use; 0 to 15 are taken by the network itself."""
        return Random(self.seed, stream)

    def link(
        self,
        egress: QueueDisc,
        ingress: QueueDisc,
        path: Path,
        device: MakeDevice | None = None,
    ) -> None:
        """Put the router and the path in place.

        Args:
            egress: qdisc towards the servers.
            ingress: qdisc towards the clients; an unlimited FIFO for none.
            path: what lies beyond.
            device: makes the egress interface of (schedule, qdisc, following, options, veil);
                None for one queue and a device that is never busy longer than a packet.
        """
        veil = self.hash_of("router", 0) if self.nat else None
        schedule, options = self.schedule, self.options
        self.path = path
        self.clients, self.servers = Switch(schedule), Switch(schedule)
        self.wire_up = Wire(
            schedule,
            self.servers,
            self.random(1),
            options,
            path.loss,
            path.jitter,
            path.lose_every,
        )
        self.ingress = Interface(
            schedule, ingress, self.clients, options, path.device, veil=veil, veil_source=False
        )
        after_wire: Sink = self.ingress
        after_egress: Sink = self.wire_up
        self.beyond_up = self.beyond_down = None
        if path.beyond:
            self.beyond_up = self.second(path, self.wire_up)
            self.beyond_down = self.second(path, self.ingress)
            after_egress, after_wire = self.beyond_up, self.beyond_down
        if device is None:
            self.egress = Interface(schedule, egress, after_egress, options, path.device, veil=veil)
        else:
            self.egress = device(schedule, egress, after_egress, options, veil)
        self.wire_down = Wire(schedule, after_wire, self.random(2), options, path.loss, path.jitter)

    def second(self, path: Path, following: Sink) -> Interface:
        """Return a second bottleneck."""
        queue = Fifo(self.pool, path.beyond_limit)
        return Interface(self.schedule, queue, following, self.options, path.beyond)

    def hash_of(self, kind: str, number: int) -> int:
        """Return 32 bits for a thing, the same for the same seed."""
        word = int.from_bytes(kind.encode("ascii")[:4], "big")
        state = (self.seed * MIX + word * 0xBF58476D1CE4E5B9 + number) % 2**64
        return Random(state, 0).draw32()

    def hashes(self, host: int, server: int, flow: int, up: bool) -> tuple[int, int, int]:
        """Return the hashes of a flow, its source and its destination, in one direction."""
        client, remote = self.hash_of("host", host), self.hash_of("srvr", server)
        mine = self.hash_of("flow" if up else "back", flow)
        return (mine, client, remote) if up else (mine, remote, client)

    def group(self, part: str) -> int:
        """Return the number of a part's group, the same at every interface."""
        if part not in self._groups:
            self._groups[part] = len(self._groups)
            for interface in self.interfaces():
                interface.group()
        return self._groups[part]

    def by_part(self, histograms: Sequence[Histogram]) -> dict[str, Histogram]:
        """Return what was measured of each group by its part's name."""
        return {part: histograms[number] for part, number in self._groups.items()}

    def interfaces(self) -> list[Interface]:
        """Return every interface."""
        return [
            one
            for one in (self.egress, self.ingress, self.beyond_up, self.beyond_down)
            if one is not None
        ]

    def join(self, watch: Watch, client: Endpoint, server: Endpoint, rtt: int | None) -> Watch:
        """Connect both ends of a flow."""
        assert self.path is not None
        path = self.path
        whole = path.rtt if rtt is None else rtt
        up = path.upstream if path.upstream is not None and rtt is None else whole // 2
        if path.upstream == 0:
            up = 0
        group = self.group(watch.part)
        self.clients.connect(client)
        self.servers.connect(server)
        self.wire_up.connect(up)
        self.wire_down.connect(whole - up)
        for interface in self.interfaces():
            interface.connect(group)
        self.flows.append(watch)
        return watch

    def round_trip(self, rtt: int | None) -> int:
        """Return the round trip of a flow that may have its own."""
        if self.path is None:
            raise ValueError("a flow needs a link first")
        return self.path.rtt if rtt is None else rtt

    def add_tcp(
        self,
        direction: Direction,
        cc: str = "cubic",
        *,
        ecn: bool = False,
        dscp: int = 0,
        ack_dscp: int | None = None,
        host: int = 0,
        server: int = 0,
        start: int = 0,
        established: int | None = None,
        handshake: int | None = None,
        greeting: int = 0,
        stop: int | None = None,
        payload: int | None = None,
        rtt: int | None = None,
        turns: Sequence[int] = (),
        part: str = "",
        like: Watch | None = None,
    ) -> Watch:
        """Add a TCP transfer.

        Args:
            direction: of the data.
            cc: `cubic`, `reno` or `bbr`.
            ecn: both ends agree on ECN.
            dscp: of the data, 0 to 63.
            ack_dscp: of the acknowledgements; None for the same.
            host: number of the client.
            server: number of the server.
            start: when the application has data (ns).
            established: when the handshake was over (ns); None for at the start.
            handshake: its round trip (ns); None for that of the path.
            greeting: round trip (ns) of one small message after the handshake; 0 for none.
            stop: when the application ends (ns); None for never.
            payload: bytes to transfer; None for no end.
            rtt: of this flow alone (ns), half of it each way; None for the path's.
            turns: until the last of them (ns), the reader has its processor at them only.
            part: name under which its queueing delay is measured.
            like: another flow of the same connection, so that qdiscs see one.
        """
        round_trip = self.round_trip(rtt)
        number = len(self.flows)
        port = number if like is None else like.number
        up = direction == "up"
        there, back = (self.egress, self.wire_down) if up else (self.wire_down, self.egress)
        sender = Sender(
            self.schedule,
            there,
            number,
            self.hashes(host, server, port, up),
            CONTROLS[cc](),
            self.options,
            self.random(16 + number),
            payload,
            dscp << 2,
            ecn,
            self.local and up,
        )
        receiver = Receiver(
            self.schedule,
            back,
            number,
            self.hashes(host, server, port, not up),
            self.options,
            (dscp if ack_dscp is None else ack_dscp) << 2,
            ecn,
            self.local and not up,
            self.greatest_buffer,
        )
        first = round_trip if handshake is None else handshake
        sender.open_at(start, first, established, greeting)
        receiver.open_at(start, first, established if greeting else None, turns)
        watch = Watch("tcp", number, direction, dscp, host, part, sender, receiver, start, stop)
        ends = (sender, receiver) if up else (receiver, sender)
        return self.join(watch, ends[0], ends[1], rtt)

    def add_udp(
        self,
        direction: Direction,
        rate: int,
        payload: int = 1470,
        *,
        dscp: int = 0,
        host: int = 0,
        server: int = 0,
        start: int = 0,
        stop: int | None = None,
        rtt: int | None = None,
        buffer: int = DEFAULT_BUFFER,
        pressure: int = 0,
        cost: int = 0,
        latency: int = 0,
        blocking: bool = True,
        recverr: bool = False,
        part: str = "",
        like: Watch | None = None,
    ) -> Watch:
        """Add a UDP flow of constant rate (bit/s of payload); see `UdpSender` and `add_tcp`."""
        self.round_trip(rtt)
        number = len(self.flows)
        port = number if like is None else like.number
        up = direction == "up"
        there, back = (self.egress, self.wire_down) if up else (self.wire_down, self.egress)
        sender = UdpSender(
            self.schedule,
            there,
            number,
            self.hashes(host, server, port, up),
            rate,
            payload,
            dscp << 2,
            self.local and up,
            buffer,
            pressure,
            cost,
            latency,
            blocking,
            recverr,
        )
        receiver = UdpReceiver(self.schedule, back, number, self.hashes(host, server, port, not up))
        sender.open_at(start, NO_END if stop is None else stop)
        watch = Watch("udp", number, direction, dscp, host, part, sender, receiver, start, stop)
        ends = (sender, receiver) if up else (receiver, sender)
        return self.join(watch, ends[0], ends[1], rtt)

    def add_ping(
        self,
        interval: int = 200_000_000,
        *,
        dscp: int = 0,
        payload: int = 56,
        host: int = 0,
        server: int = 0,
        start: int = 0,
        stop: int | None = None,
        rtt: int | None = None,
        keep: int = 0,
        part: str = "",
        kind: str = "ping",
    ) -> Watch:
        """Add a client that pings a server; `keep` round trips are kept one by one."""
        self.round_trip(rtt)
        number = len(self.flows)
        probe = Probe(
            self.schedule,
            self.egress,
            number,
            self.hashes(host, server, number, True),
            interval,
            payload,
            dscp << 2,
            self.local,
            keep,
        )
        echo = Echo(self.schedule, self.wire_down, number, self.hashes(host, server, number, False))
        probe.open_at(start, NO_END if stop is None else stop)
        watch = Watch(kind, number, "both", dscp, host, part, probe, echo, start, stop)
        return self.join(watch, probe, echo, rtt)

    def add_voip(
        self,
        *,
        dscp: int = 46,
        host: int = 0,
        server: int = 0,
        start: int = 0,
        stop: int | None = None,
        part: str = "",
        keep: int = 0,
    ) -> Watch:
        """Add a call: 172 bytes every 20 ms each way, measured in both directions (G.711)."""
        return self.add_ping(
            20_000_000,
            dscp=dscp,
            payload=172,
            host=host,
            server=server,
            start=start,
            stop=stop,
            part=part,
            keep=keep,
            kind="voip",
        )

    def run(
        self,
        duration: int,
        warmup: int = 0,
        interval: int = SECOND,
        observer: Observer | None = None,
    ) -> Result:
        """Let time pass and report.

        Ctrl-C ends the run early; the result then says so and covers what was measured.

        Args:
            duration: measured time (ns), which begins when the warm-up is over.
            warmup: time before (ns), which is not measured.
            interval: of the series (ns).
            observer: who looks on; it changes nothing of the result.
        """
        stops = sorted({one.stop for one in self.flows if one.stop is not None})
        interrupted = False
        if warmup:
            interrupted = not self.advance(warmup, interval, stops)
        for one in self.flows:
            one.begin(self.schedule.now, warmup)
        for interface in self.interfaces():
            interface.clear()
        began = self.schedule.now
        marked = (self.egress.qdisc.marked(), self.ingress.qdisc.marked())
        if observer is not None:
            observer.begin()
        at, end = began, warmup + duration
        steps = (interval,) if observer is None else (interval, observer.interval)
        while at < end and not interrupted:
            at = min(end, *(at + step - (at - began) % step for step in steps))
            interrupted = not self.advance(at, interval, stops)
            over = at == end or interrupted
            if over or (at - began) % interval == 0:
                for one in self.flows:
                    one.sample()
            if observer is not None and (over or (at - began) % observer.interval == 0):
                observer.sample()
        if observer is not None:
            observer.end()
        return report(self, began, marked, interrupted)

    def advance(self, until: int, step: int, stops: list[int]) -> bool:
        """Let it be `until`; return False if Ctrl-C ended it before."""
        try:
            while self.schedule.now < until:
                target = min(until, self.schedule.now + min(step, SECOND // 4))
                if stops and stops[0] <= target:
                    target = stops.pop(0)
                    self.schedule.run(target)
                    for one in self.flows:
                        if one.stop == target:
                            one.end()
                    continue
                self.schedule.run(target)
                if self.schedule.stopped:
                    raise MemoryError("no memory for another packet")
        except KeyboardInterrupt:
            return False
        return True
