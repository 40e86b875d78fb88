"""Replay traces of the kernel's CAKE against the engine's, and say where they differ.

    python -m tcc.engine.replay FILE...

A file is JSON, plain or gzipped, with a list `scenarios`: how the qdisc is set up, the packets and
dequeues with their times, and what the kernel did each time (CAKE specification, appendix A).
Every verdict, packet, drop with its reason, TOS byte, size and timer is compared, and at the end
every counter, tin and flow.

Exit status: 0 if nothing differs, 1 if something does, 2 if a file cannot be read.
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from tcc.engine import compiled
from tcc.engine.cake.config import CakeConfig
from tcc.engine.cake.mq import CakeMq
from tcc.engine.cake.qdisc import Cake
from tcc.engine.constants import ARP, CN, DROP, IPV4, IPV6, NEVER, NIL, OK, OTHER, REASON_NAMES
from tcc.engine.packet import PacketPool
from tcc.engine.random import Random

Json: TypeAlias = dict[str, Any]

LARGEST = 256 << 20
"""Bytes that a packed trace may unpack to."""
ETHERTYPES = {0x0800: IPV4, 0x86DD: IPV6, 0x0806: ARP}
VLAN_TYPES = (0x8100, 0x88A8)
VERDICTS = {OK: "ok", DROP: "drop", CN: "cn"}
# The kernel frees these as consumed, not as dropped.
CONSUMED = ("ack_filter", "gso_split")
SYNTHETIC_HEADERS = 54
SEGMENT_TRUESIZE = 768

# Names in the traces' final state, and what the engine calls them.
QDISC_FIELDS = {
    "qlen": "qlen", "backlog": "backlog", "drops": "drops", "overlimits": "overlimits",
    "buffer_used": "used", "buffer_max_used": "most_used", "buffer_limit": "limit",
    "tnp": "tnext", "fnp": "failsafe", "avg_peak_bandwidth": "peak_rate",
    "avg_netoff": "average_offset", "max_netlen": "max_netlen", "min_netlen": "min_netlen",
    "max_adjlen": "max_adjlen", "min_adjlen": "min_adjlen", "active_queues": "active_queues",
}  # fmt: skip
TIN_FIELDS = {
    "tin_rate_bps": "rate", "flow_quantum": "flow_quantum", "target": "target",
    "interval": "interval", "mtu_time": "mtu_time", "tin_quantum": "quantum",
    "tin_tnp": "tnext", "tin_deficit": "deficit", "bulk": "bulk", "sparse": "sparse",
    "decaying": "decaying", "unresponsive": "unresponsive", "tin_backlog": "backlog",
    "tin_dropped": "dropped", "tin_ecn_mark": "ecn_mark", "packets": "packets",
    "bytes": "bytes", "ack_drops": "ack_drops", "avge": "average_delay",
    "peak": "peak_delay", "base": "base_delay", "way_hits": "way_hits",
    "way_misses": "way_misses", "way_collisions": "way_collisions", "max_skblen": "max_length",
}  # fmt: skip
FLOW_FIELDS = {
    "deficit": "deficit", "dropped": "dropped", "set": "state", "count": "count", "rec": "rec",
    "drop_next": "drop_next", "blue_timer": "blue_timer", "p_drop": "p_drop",
    "dropping": "dropping", "src": "source", "dst": "destination", "backlog": "backlog",
}  # fmt: skip


class UnreadableError(Exception):
    """A file, or a scenario in it, that cannot be replayed; the message says why."""


class DifferenceError(Exception):
    """The first difference of a scenario; the message says where."""


def compare(place: str, expected: object, found: object) -> None:
    """Raise `DifferenceError` unless two values are equal."""
    if expected != found:
        raise DifferenceError(f"{place}: the trace has {expected!r}, the engine {found!r}")


def config_of(trace: Json) -> CakeConfig:
    """Return the configuration that a trace describes.

    Raises:
        UnreadableError: an unknown flag, or a number out of range.
    """
    flags = set(trace.get("flags", []))
    unknown = flags - {"split_gso", "overhead", "ingress", "wash", "autorate", "nat"}
    if unknown:
        raise UnreadableError(
            f"unknown flag {', '.join(sorted(map(str, unknown)))} in a configuration"
        )
    flow_mode = int(trace.get("flow_mode", 7))
    try:
        return CakeConfig(
            rate=int(trace.get("rate_bps", 0)),
            tins=int(trace.get("tin_mode", 0)),
            flow_mode=flow_mode & 63,
            nat=bool(flow_mode & 64) or "nat" in flags,
            interval=int(trace.get("interval", 100_000)) or 1,
            target=int(trace.get("target", 5_000)) or 1,
            memory=int(trace.get("buffer_config_limit", 0)),
            overhead=int(trace.get("rate_overhead", 0)),
            network_size="overhead" in flags,
            mpu=int(trace.get("rate_mpu", 0)),
            cells=int(trace.get("atm_mode", 0)),
            ack_filter=int(trace.get("ack_filter", 0)),
            fwmark=int(trace.get("fwmark_mask", 0)),
            wash="wash" in flags,
            ingress="ingress" in flags,
            autorate="autorate" in flags,
            split_gso="split_gso" in flags,
        )
    except ValueError as error:
        raise UnreadableError(f"configuration: {error}") from None


def protocol_of(step: Json, raw: bytes, netoff: int) -> int:
    """Return the network protocol of a packet, VLAN tags skipped."""
    if "proto" in step:
        kind = int(step["proto"])
    elif netoff >= 14 and len(raw) >= netoff:
        kind = int.from_bytes(raw[12:14], "big")
        if kind == 0:  # the recorder leaves the Ethernet header empty
            kind = 0x86DD if len(raw) > netoff and raw[netoff] >> 4 == 6 else 0x0800
    else:
        return IPV4
    if kind in VLAN_TYPES and len(raw) >= netoff:
        kind = int.from_bytes(raw[netoff - 2 : netoff], "big")
    return ETHERTYPES.get(kind, OTHER)


class Replay:
    """One scenario on one engine.

    Args:
        scenario: as the file has it.

    Raises:
        UnreadableError: it cannot be set up.
    """

    def __init__(self, scenario: Json) -> None:
        self.scenario = scenario
        self.pool = PacketPool()
        numbers = scenario.get("random", {})
        chance = Random.fixed(int(numbers.get("u16", 32768)), int(numbers.get("u32", 1 << 31)))
        config = config_of(scenario["config"])
        handle = int(scenario.get("handle", 0x10000))
        mtu = int(scenario.get("mtu", 1500)) + int(scenario.get("hard_header_len", 14))
        queues = int(scenario.get("queues", 1))
        # The traces' qdiscs had three tins until they were changed: that leaves the turn with the
        # last of eight, where a qdisc made with eight tins starts with the first.
        first = replace(config, tins=0)
        self.mq: CakeMq | None = None
        if queues > 1:
            try:
                self.mq = CakeMq(self.pool, chance, first, queues, mtu, handle, SEGMENT_TRUESIZE)
            except ValueError as error:
                raise UnreadableError(str(error)) from None
            self.qdiscs = self.mq.children
            self.mq.change(config)
        else:
            self.qdiscs = [Cake(self.pool, chance, first, handle, mtu, None, SEGMENT_TRUESIZE)]
            self.qdiscs[0].change(config)

    def run(self) -> None:
        """Replay every step.

        Raises:
            DifferenceError: at the first difference.
            UnreadableError: at a step that makes no sense.
        """
        kinds = {"enq": self.enqueue, "deq": self.dequeue, "config": self.configure}
        for number, step in enumerate(self.scenario["steps"]):
            place = f"step {number} ({step.get('op')} at {step.get('t')})"
            kind = kinds.get(step.get("op"))
            if kind is None:
                raise UnreadableError(f"step {number}: unknown kind {step.get('op')!r}")
            try:
                kind(step, place)
            except (KeyError, TypeError, ValueError, IndexError, OverflowError) as error:
                reason = f"no {error}" if isinstance(error, KeyError) else str(error)
                raise UnreadableError(f"{place}: {reason}") from None
        self.compare_final()

    def packet(self, step: Json) -> int:
        """Make the packet of a step."""
        raw = bytes.fromhex(step.get("raw", ""))
        netoff = int(step.get("netoff", 14))
        segments = int(step.get("gso_segs", 1))
        length = int(step["len"])
        header = int(step.get("header_length", SYNTHETIC_HEADERS)) if segments > 1 else 0
        tos = step.get("tos")
        if tos is None:
            tos = tos_of(raw, netoff)
        packet = self.pool.new(
            {
                "id": int(step["id"]),
                "length": length + (segments - 1) * header if segments > 1 else length,
                "truesize": int(step.get("truesize", 2304)),
                "flow_hash": int(step["hash"]),
                "source_hash": int(step.get("src", 1)),
                "destination_hash": int(step.get("dst", 2)),
                "tos": int(tos),
                "priority": int(step.get("prio", 0)),
                "mark": int(step.get("mark", 0)),
                "gso_size": int(step.get("gso_size", 0)),
                "gso_segs": segments,
                "header_length": header,
                "network_offset": netoff,
                "protocol": protocol_of(step, raw, netoff),
                "classid": int(step.get("classid", 0)),
                "kind": 1 if raw else 0,
            }
        )
        if raw:
            self.pool.set_raw(packet, raw)
        return packet

    def qdisc(self, step: Json) -> Cake:
        """Return the qdisc that a step is about."""
        return self.qdiscs[int(step.get("q", 0))]

    def drops(self) -> list[list[object]]:
        """Return what the last call dropped, as a trace has it."""
        found: list[list[object]] = []
        for packet, reason in self.pool.drain():
            name = REASON_NAMES[reason]
            found.append([self.pool.read(packet)["id"], "consumed" if name in CONSUMED else name])
            self.pool.free(packet)
        return found

    def settle(self, step: Json, qdisc: Cake, place: str) -> None:
        """Compare drops and timer of a call."""
        compare(f"{place}: drops", step.get("drops", []), self.drops())
        armed = qdisc.take_wakeup()
        compare(f"{place}: watchdog", step.get("watchdog"), None if armed == NEVER else armed)

    def enqueue(self, step: Json, place: str) -> None:
        """Replay the arrival of a packet."""
        qdisc = self.qdisc(step)
        verdict = qdisc.enqueue(self.packet(step), int(step["t"]))
        compare(f"{place}: rc", step["rc"], VERDICTS[verdict])
        self.settle(step, qdisc, place)

    def dequeue(self, step: Json, place: str) -> None:
        """Replay a call of dequeue."""
        qdisc = self.qdisc(step)
        packet = qdisc.dequeue(int(step["t"]))
        row = None if packet == NIL else self.pool.read(packet)
        compare(f"{place}: id", step["id"], None if row is None else row["id"])
        if row is not None:
            if "adj_len" in step:
                compare(f"{place}: adj_len", step["adj_len"], row["adjusted"])
            if "tos" in step and not row["kind"]:
                compare(f"{place}: tos", step["tos"], row["tos"])
            self.pool.free(packet)
        self.settle(step, qdisc, place)

    def configure(self, step: Json, place: str) -> None:
        """Replay a change of the configuration."""
        config = config_of(step["config"])
        if self.mq is not None:
            self.mq.change(config)
        else:
            self.qdiscs[0].change(config)
        compare(f"{place}: drops", step.get("drops", []), self.drops())

    def compare_final(self) -> None:
        """Compare counters, tins and flows at the end."""
        final = self.scenario.get("final")
        each = final if isinstance(final, list) else [final] if final else []
        for number, (state, qdisc) in enumerate(zip(each, self.qdiscs, strict=False)):
            place = f"final, queue {number}" if len(self.qdiscs) > 1 else "final"
            for name, attribute in QDISC_FIELDS.items():
                if name in state:
                    compare(f"{place}: {name}", state[name], getattr(qdisc, attribute))
            tins = state.get("tins", [])
            compare(f"{place}: number of tins", len(tins), qdisc.tin_count)
            for index, tin in enumerate(tins):
                row = qdisc.tin(index)
                for name, field in TIN_FIELDS.items():
                    if name in tin:
                        compare(f"{place}, tin {index}: {name}", tin[name], row[field])
        for flow in self.scenario.get("flows") or []:
            row = self.qdisc(flow).flow(int(flow["tin"]), int(flow["slot"]))
            for name, field in FLOW_FIELDS.items():
                if name in flow:
                    where = f"tin {flow['tin']} slot {flow['slot']}"
                    compare(f"final, {where}: {name}", flow[name], row[field])


def tos_of(raw: bytes, netoff: int) -> int:
    """Return the TOS byte of a packet of which only the header bytes are given."""
    if len(raw) < netoff + 2:
        return 0
    if raw[netoff] >> 4 == 6:
        return (raw[netoff] & 15) << 4 | raw[netoff + 1] >> 4
    return raw[netoff + 1]


def decompress(data: bytes) -> bytes:
    """Return what a gzip file holds.

    Raises:
        EOFError: it is cut off, or its header names a method that is not gzip's.
        zlib.error: it is damaged.
        UnreadableError: it holds more than `LARGEST`: a small file can unpack to fill a machine.
    """
    if data[2:3] not in (b"", b"\x08"):
        raise EOFError("unknown compression method")
    with gzip.open(io.BytesIO(data)) as file:
        held = file.read(LARGEST + 1)
    if len(held) > LARGEST:
        raise UnreadableError(f"it unpacks to more than {LARGEST >> 20} MiB")
    return held


def read(path: str) -> list[Json]:
    """Return the scenarios of a file.

    Raises:
        UnreadableError: it is not there, not JSON, or not a trace.
    """
    try:
        data = Path(path).read_bytes()
        if data[:2] == b"\x1f\x8b":
            data = decompress(data)
        document = json.loads(data)
    except UnreadableError as error:
        raise UnreadableError(f"{path}: {error}") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableError(f"{path}: not a whole gzip file: {error}") from None
    except OSError as error:
        raise UnreadableError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise UnreadableError(f"{path}: not JSON: {error}") from None
    except RecursionError:
        raise UnreadableError(f"{path}: nested too deeply to be a trace") from None
    scenarios = document.get("scenarios") if isinstance(document, dict) else document
    if not isinstance(scenarios, list):
        raise UnreadableError(f"{path}: no list of scenarios in it")
    return scenarios


def replay(scenario: Json) -> str | None:
    """Return the first difference of a scenario, None if there is none.

    Raises:
        UnreadableError: it cannot be replayed.
    """
    if not isinstance(scenario, dict):
        raise UnreadableError("a scenario is not an object")
    for key, kind in (("config", dict), ("steps", list)):
        if not isinstance(scenario.get(key), kind):
            raise UnreadableError(f"no {key} in the scenario")
    if not all(isinstance(step, dict) for step in scenario["steps"]):
        raise UnreadableError("a step is not an object")
    try:
        Replay(scenario).run()
    except DifferenceError as difference:
        return str(difference)
    except (TypeError, ValueError, LookupError, AttributeError, OverflowError) as error:
        raise UnreadableError(f"{type(error).__name__}: {error}") from None
    return None


def main(arguments: list[str]) -> int:
    """Replay files; print what differs and how many; return the exit status."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__, file=sys.stderr if not arguments else sys.stdout)
        return 0 if arguments else 2
    total = differing = 0
    unreadable = False
    for path in arguments:
        try:
            scenarios = read(path)
        except UnreadableError as error:
            print(f"error: {error}", file=sys.stderr)
            unreadable = True
            continue
        for number, scenario in enumerate(scenarios):
            name = scenario.get("name", number) if isinstance(scenario, dict) else number
            try:
                difference = replay(scenario)
            except UnreadableError as error:
                print(f"error: {path}: scenario {name}: {error}", file=sys.stderr)
                unreadable = True
                continue
            total += 1
            if difference is not None:
                differing += 1
                print(f"{name}: {difference}")
    print(f"{total} scenarios, {differing} differ ({'compiled' if compiled() else 'interpreted'})")
    return 2 if unreadable else 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
