"""In the guest: what the 7.3 kernel makes of each CAKE attribute that we encode, as JSON."""

import json
import socket
import subprocess
import time
from pathlib import Path

from tcc.netlink import actions, filters, kinds, links, qdisc
from tcc.netlink.attributes import attribute
from tcc.netlink.handle import CLSACT_INGRESS, INGRESS, INGRESS_HANDLE, ROOT, Handle
from tcc.netlink.messages import KernelRefusal
from tcc.netlink.qdisc import QdiscMessage
from tcc.netlink.refusals import refused_attribute
from tcc.netlink.transport import RouteSocket

EACH = {
    "BASE_RATE64": (0, 125, 12_500_000, 125_000_000_000, (1 << 64) - 1),
    "DIFFSERV_MODE": (0, 1, 2, 3, 4, 7, 257),
    "ATM": (0, 1, 2),
    "FLOW_MODE": (0, 1, 2, 3, 4, 5, 6, 7, 255),
    "OVERHEAD": (0, 44, -4, -64, 256, 70_000, 40_000),
    "RTT": (0, 1, 1000, 100_000, 1_000_000_000),
    "TARGET": (0, 1, 5000, 50_000_000),
    "AUTORATE": (0, 1, 5),
    "MEMORY": (0, 1, 33_554_432, (1 << 32) - 1),
    "NAT": (0, 1, 7),
    "WASH": (0, 1, 2),
    "MPU": (0, 64, 256, 70_000),
    "INGRESS": (0, 1, 2),
    "ACK_FILTER": (0, 1, 2),
    "SPLIT_GSO": (0, 1),
    "FWMARK": (0, 0xFF, 0xFF000000, (1 << 32) - 1),
}
ALL = [
    ("BASE_RATE64", 12_500_000),
    ("DIFFSERV_MODE", 2),
    ("ATM", 2),
    ("FLOW_MODE", 5),
    ("OVERHEAD", -4),
    ("RTT", 50_000),
    ("TARGET", 2500),
    ("AUTORATE", 0),
    ("MEMORY", 4_000_000),
    ("NAT", 1),
    ("WASH", 1),
    ("MPU", 64),
    ("INGRESS", 1),
    ("ACK_FILTER", 2),
    ("SPLIT_GSO", 0),
    ("FWMARK", 0xFF00),
]


def tc(words: str) -> str:
    return subprocess.run(words.split(), capture_output=True, text=True, check=True).stdout


class Bench:
    """One device, and what is asked of it."""

    def __init__(self, route: RouteSocket) -> None:
        self.route = route
        self.device = links.by_name(route, "v0").ifindex

    def root(self, kind: str, options: bytes, handle: str = "1:") -> QdiscMessage:
        return QdiscMessage(self.device, Handle.parse(handle), ROOT, kind, options)

    def fresh(self, kind: str = "cake") -> None:
        self.route.batch([qdisc.delete(QdiscMessage(self.device, Handle(0), ROOT))])
        self.route.request(qdisc.add(self.root(kind, b"")))

    def change(self, options: bytes, kind: str = "cake") -> dict[str, object]:
        message = qdisc.change(self.root(kind, options))
        [ack] = self.route.batch([message])
        at = refused_attribute(message, ack)
        return {"errno": ack.errno, "text": ack.text, "at": at}

    def listed(self) -> list[tuple[str | int, object]]:
        found = qdisc.get(self.route, self.device, ROOT)
        assert found is not None
        return kinds.decode_options(found.kind, found.options or b"")

    def stats(self) -> dict[str, object]:
        found = qdisc.get(self.route, self.device, ROOT)
        assert found is not None
        return dict(kinds.decode_stats(found.kind, found.xstats or b""))


def each_attribute(bench: Bench) -> dict[str, object]:
    """Return, for each attribute and value, what is listed after a change to it alone."""
    report = {}
    for name, values in EACH.items():
        rows = []
        for value in values:
            bench.fresh()
            result = bench.change(kinds.encode_options("cake", [(name, value)]))
            rows.append([value, result["errno"], bench.listed()])
        report[name] = rows
    return report


def malformed(bench: Bench) -> dict[str, object]:
    """Return what the kernel says to payloads of the wrong size."""
    cases = {
        "short BASE_RATE64": attribute(2, bytes(4)),
        "short DIFFSERV_MODE": attribute(3, bytes(2)),
        "empty RAW": attribute(12, b""),
        "long DIFFSERV_MODE": attribute(3, b"\x01" + bytes(7)),
        "unknown 19": attribute(19, bytes(4)),
    }
    report = {}
    for name, options in cases.items():
        bench.fresh()
        report[name] = bench.change(options) | {"listed": bench.listed()}
    return report


def merging(bench: Bench) -> dict[str, object]:
    """Return what stays and what goes when only one attribute is sent."""
    bench.fresh()
    bench.change(kinds.encode_options("cake", ALL))
    all_set = bench.listed()
    bench.change(kinds.encode_options("cake", [("MPU", 0)]))
    without_mpu = bench.listed()
    bench.change(kinds.encode_options("cake", [("OVERHEAD", 38)]))
    overhead = bench.listed()
    bench.change(kinds.encode_options("cake", [("RAW", 0)]))
    return {
        "all": all_set,
        "mpu": without_mpu,
        "overhead": overhead,
        "raw": bench.listed(),
        "lengths": {key: bench.stats()[key] for key in ("MIN_NETLEN", "MAX_NETLEN")},
    }


def statistics(bench: Bench) -> dict[str, object]:
    """Return our reading and tc's of the same qdisc, after some traffic."""
    bench.fresh()
    bench.change(kinds.encode_options("cake", [*ALL, ("DIFFSERV_MODE", 2), ("RAW", 0)]))
    for setting in Path("/proc/sys/net/ipv6/conf").glob("*/disable_ipv6"):
        setting.write_text("1")  # nobody else may send between the two readings
    for command in (
        "ip address add 10.9.9.1/24 dev v0",
        "ip link set v0 up",
        "ip link set v1 up",
        "ip neighbour add 10.9.9.2 lladdr 02:00:00:00:00:01 dev v0",
    ):
        tc(command)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, 0xB8)
        for _ in range(5):
            sender.sendto(bytes(1000), ("10.9.9.2", 9))
    time.sleep(0.1)  # the shaper lets the last of them go
    found = qdisc.get(bench.route, bench.device, ROOT)
    assert found is not None
    ours = kinds.decode_stats("cake", found.xstats or b"")
    return {
        "ours": ours,
        "counters": found.counters._asdict(),
        "tc": json.loads(tc("tc -s -j qdisc show dev v0 root")),
    }


def multi_queue(bench: Bench) -> dict[str, object]:
    """Return what cake_mq accepts, refuses, and lists."""
    options = [pair for pair in ALL if pair[0] != "INGRESS"]
    bench.fresh("cake_mq")
    result = bench.change(kinds.encode_options("cake_mq", options), "cake_mq")
    listed = bench.listed()
    refused = bench.change(kinds.encode_options("cake_mq", [("AUTORATE", 1)]), "cake_mq")
    found = qdisc.dump(bench.route, bench.device)
    children = [one for one in found if one.kind == "cake"]
    return {
        "result": result,
        "listed": listed,
        "refused": refused,
        "root xstats": [one.xstats for one in found if one.kind == "cake_mq"],
        "children": [
            [str(one.handle), str(one.parent), kinds.decode_options("cake", one.options or b"")]
            for one in children
        ],
        "active": [
            dict(kinds.decode_stats("cake", one.xstats or b""))["ACTIVE_QUEUES"] for one in children
        ],
    }


def other_kinds(bench: Bench) -> dict[str, object]:
    """Return what the kernel keeps of sfq and fq_codel."""
    wanted = {
        "sfq": {"quantum": 3000, "limit": 500, "depth": 64, "headdrop": 1, "divisor": 2048},
        "fq_codel": [
            ("LIMIT", 1000), ("FLOWS", 512), ("QUANTUM", 3000), ("TARGET", 6000),
            ("INTERVAL", 90_000), ("ECN", 1), ("MEMORY_LIMIT", 4 << 20),
            ("DROP_BATCH_SIZE", 32), ("CE_THRESHOLD", 1000), ("CE_THRESHOLD_SELECTOR", 1),
            ("CE_THRESHOLD_MASK", 3),
        ],
    }  # fmt: skip
    report: dict[str, object] = {}
    for kind, value in wanted.items():
        handle = {"sfq": "3:", "fq_codel": "4:"}[kind]
        wanted_root = bench.root(kind, kinds.encode_options(kind, value), handle)
        bench.route.request(qdisc.replace(wanted_root))
        found = qdisc.get(bench.route, bench.device, ROOT)
        assert found is not None
        listed = kinds.decode_options(kind, found.options or b"")
        report[kind] = dict(listed)
        if kind == "fq_codel":
            report["fq_codel stats"] = dict(kinds.decode_stats(kind, found.xstats or b""))
    return report


def classifiers(bench: Bench) -> dict[str, object]:
    """Return what the kernel lists of filters and actions that our own kernel lacks."""
    index = bench.device
    bench.route.request(qdisc.add(QdiscMessage(index, INGRESS_HANDLE, INGRESS, "clsact")))
    ifb = links.by_name(bench.route, "ifb-try0").ifindex
    pipe = {"action": actions.TC_ACT_PIPE}
    stolen = {"action": actions.TC_ACT_STOLEN, "eaction": 1, "ifindex": ifb}
    restore = actions.action(
        "ctinfo",
        [("ACT", pipe), ("PARMS_DSCP_MASK", 0xFC000000), ("PARMS_DSCP_STATEMASK", 0x01000000)],
    )
    redirect = actions.action("mirred", [("PARMS", stolen)])
    mark = actions.action("skbedit", [("PARMS", pipe), ("PRIORITY", 0x10003), ("MARK", 9)])
    accept = actions.action("gact", [("PARMS", {"action": actions.TC_ACT_OK})])
    wanted: dict[str, tuple[int, list[tuple[str, object]]]] = {
        "matchall": (filters.ETH_P_ALL, [("ACT", [(1, restore), (2, redirect)])]),
        "flower": (
            filters.ETH_P_IP,
            [
                ("KEY_ETH_TYPE", filters.ETH_P_IP), ("KEY_IP_PROTO", 17), ("KEY_UDP_DST", 53),
                ("KEY_IPV4_SRC", 0x0A000000), ("KEY_IPV4_SRC_MASK", 0xFF000000),
                ("KEY_IP_TOS", 0xB8), ("KEY_IP_TOS_MASK", 0xFC), ("ACT", [(1, mark)]),
            ],
        ),
        "fw": (filters.ETH_P_ALL, [("MASK", 0xFF), ("ACT", [(1, accept)])]),
    }  # fmt: skip
    report: dict[str, object] = {}
    for priority, (kind, (protocol, pairs)) in enumerate(wanted.items(), 1):
        message = filters.FilterMessage(
            index,
            CLSACT_INGRESS,
            priority,
            protocol,
            kind,
            filters.encode_filter(kind, pairs),
            handle=0x0A if kind == "fw" else 0,
        )
        try:
            bench.route.request(filters.add(message))
        except KernelRefusal as problem:
            report[kind] = str(problem)
            continue
        found = [
            one
            for one in filters.dump(bench.route, index, CLSACT_INGRESS)
            if one.kind == kind and one.handle
        ][-1]
        values = dict(filters.decode_filter(kind, found.options or b""))
        acts = [actions.parse_action(act) for _, act in values.pop("ACT")]
        report[kind] = {
            "values": values,
            "actions": [[name, dict(pairs)] for name, pairs in acts],
        }
    report["tc"] = tc("tc filter show dev v0 ingress")
    return report


def plain(value: object) -> object:
    """Return something for JSON: bytes as text, records as dicts."""
    if isinstance(value, bytes):
        return value.hex()
    return dict(value)  # type: ignore[call-overload]


def main() -> None:
    with RouteSocket() as route:
        route.request(links.create_veth("v0", "v1", tx_queues=4, rx_queues=4))
        route.request(links.create_ifb("ifb-try0"))
        bench = Bench(route)
        bench.fresh()
        report = {"fresh": bench.listed()}
        for part in (
            each_attribute, malformed, merging, statistics, multi_queue, other_kinds, classifiers,
        ):  # fmt: skip
            report[part.__name__] = part(bench)  # type: ignore[assignment]
    print(json.dumps(report, default=plain))


if __name__ == "__main__":
    main()
