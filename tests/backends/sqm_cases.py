"""Policies that sqm-scripts itself was run on, and what may differ from `tcc apply` of them."""

import re
from pathlib import Path
from typing import Any

from tcc import api
from tcc.lower.ifb import ifb_name
from tcc.passes import Given
from tcc.plan.state import FileItem
from tcc.source import Source
from tcc.tcwords.sqm import ifb_of

HERE = Path(__file__).parent
DATA = HERE.parent / "data" / "sqm"
GOLDEN = HERE.parent / "golden"
SAMPLES = ("branch", "home", "lte", "vdsl-openwrt", "simplest-tbf-openwrt")
MORE = {
    "plain": 'link wan { device "eth7"; framing docsis\n'
    "egress { bandwidth 9mbit; tiers besteffort }\n"
    "ingress { bandwidth 90mbit; tiers besteffort; dscp wash } }\n",
    "raw-odd": 'link wan { device "eth7"\n egress { bandwidth 9mbit; tiers diffserv8\n'
    "fairness none; gso keep\n"
    "qdisc cake { raw; atm; overhead 8B; mpu 64B; autorate-ingress } } }\n",
    "differ": 'link wan { device "eth7"\n'
    "egress { bandwidth 9mbit; qdisc cake { overhead 8B; mpu 64B } }\n"
    "ingress { bandwidth 8mbit; qdisc cake { ptm; overhead 22B } } }\n",
    "adsl": 'link wan { device "eth7"; framing pppoe-llcsnap; role router\n'
    "egress { bandwidth 850kbit; tiers diffserv3; fairness per-host; ack-filter aggressive }\n"
    "ingress { bandwidth 12mbit; tiers precedence; fairness per-host; rtt 80ms } }\n",
    "bucket-both": 'link wan { device "eth7"\n'
    "egress { bandwidth 5mbit; qdisc tbf { inner sfq } }\n"
    "ingress { bandwidth 40mbit; qdisc tbf { inner sfq } } }\n",
}
QUEUES = {
    "several-queues": 'link wan { device "eth0"; framing ethernet; role router\n'
    "egress { bandwidth 2.2gbit; tiers diffserv4; qdisc cake_mq }\n"
    "ingress { bandwidth 1gbit; tiers diffserv4; fairness per-host; qdisc cake_mq } }\n",
}
"""For 1.7's `use_mq`, a device of several queues, and a tc that knows cake_mq."""
EXPLAINED = {
    "bandwidth": "sqm counts whole kbit/s",
    "rate": "sqm counts whole kbit/s",
    "burst": "simplest_tbf chooses the bucket itself",
    "lat": "simplest_tbf takes 300 ms",
    "overhead": "sqm counts a bucket's framing by a size table, of the same numbers",
    "mpu": "as overhead",
}
"""Options of a qdisc that may differ, and why."""


def cases(*, queues: bool = False) -> dict[str, dict[str, Any]]:
    """Return each case: the policy, its values, our files, and the devices' names.

    The files are for sqm 1.6, and with `queues` those for cake_mq are there, for 1.7.
    """
    made = {}
    for name in SAMPLES:
        folder = GOLDEN / name
        values = folder / "values"
        given = values.read_text().splitlines() if values.exists() else []
        made[name] = _case((folder / "policy.tcc").read_text(), given)
    made |= {name: _case(text, []) for name, text in MORE.items()}
    if queues:
        made |= {name: _case(text, [], "25.12") | {"queues": 4} for name, text in QUEUES.items()}
    return made


def _case(text: str, given: list[str], release: str = "24.10") -> dict[str, Any]:
    values = dict(one.split("=", 1) for one in given)
    built = api.load(Source("policy.tcc", text), Given(values))
    state, found = api.lower(built, "openwrt", None, {"release": release, "policy-sha256": "-"})
    files = {place.at: item.text for place, item in state.items() if isinstance(item, FileItem)}
    assert files, found
    device = built.policy.links[0].device.name
    return {
        "policy": text, "set": given, "files": files, "device": device,
        "ifb": ifb_of(device), "our_ifb": ifb_name(device),
    }  # fmt: skip


def differences(name: str, answer: dict[str, Any]) -> list[str]:
    """Return how the qdiscs that sqm made differ from ours, but for what is explained."""
    found = []
    for where in ("device", "ifb"):
        theirs, ours = (_by_place(answer[who][where]) for who in ("sqm", "tcc"))
        if theirs.keys() != ours.keys():
            found.append(f"{where}: {sorted(theirs)} and {sorted(ours)}")
        for place in theirs.keys() & ours.keys():
            found += _unequal(where, theirs[place], ours[place])
    found += _of_filters(answer)
    return found


def _by_place(qdiscs: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the qdiscs by where they hang; hooks and what a kernel attaches are left out."""
    return {
        "root" if one.get("root") else "inside": one
        for one in qdiscs
        if one["kind"] not in ("ingress", "clsact", "noqueue") and one["handle"] != "0:"
    }


def _unequal(where: str, theirs: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    if theirs["kind"] != ours["kind"]:
        return [f"{where}: {theirs['kind']} and {ours['kind']}"]
    mine, other = theirs["options"], ours["options"]
    return [
        f"{where} {theirs['kind']} {name}: {mine.get(name)} and {other.get(name)}"
        for name in sorted(mine.keys() | other.keys())
        if mine.get(name) != other.get(name) and not _is_explained(name, theirs, mine, other)
    ]


def _is_explained(
    name: str, qdisc: dict[str, Any], theirs: dict[str, Any], ours: dict[str, Any]
) -> bool:
    if name not in EXPLAINED:
        return False
    if name in ("bandwidth", "rate"):
        bits = 8 * ours[name]
        return 8 * theirs[name] == bits // 1000 * 1000
    return qdisc["kind"] == "tbf" and (name not in ("overhead", "mpu") or name not in theirs)


def _of_filters(answer: dict[str, Any]) -> list[str]:
    """Both redirect everything to their own ifb, and restore marks or not."""
    said = []
    for who in ("sqm", "tcc"):
        text = "\n".join(answer[who]["filters"])
        said.append(("mirred" in text, bool(re.search(r"ctinfo", text))))
    return [] if said[0] == said[1] else [f"filters: {said[0]} and {said[1]}"]
