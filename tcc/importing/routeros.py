"""RouterOS's queue types of the kind cake, and the queues that use them."""

import re
from collections.abc import Mapping
from typing import Final

from tcc.importing.found import End, Imported, Kind
from tcc.tcwords.cake import CakeSaid
from tcc.tcwords.numbers import NumberError, rate_of, size_of, time_of

_ROS_PAIR = re.compile(r'([a-z-]+)=("(?:[^"\\]|\\.)*"|\S+)')
_ROS_ACKS: Final = {"filter": "ack-filter", "aggressive": "ack-filter-aggressive"}
_ROS_CELLS: Final = {"atm": "atm", "ptm": "ptm"}


def read_routeros(text: str) -> Imported:
    """Return the links of RouterOS's queue types, where a queue uses them."""
    imported = Imported()
    types: dict[str, CakeSaid] = {}
    for line in text.splitlines():
        pairs = {name: _ros(value) for name, value in _ROS_PAIR.findall(line)}
        if "/queue type add" in line and pairs.get("kind") == "cake":
            types[pairs.get("name", "")] = _ros_cake(pairs, imported)
        elif "/queue interface set" in line and pairs.get("queue") in types:
            device = pairs.get("interface") or line.split()[3]
            imported.link(device).ends["egress"] = End("cake", types[pairs["queue"]])
        elif "/queue simple add" in line:
            _ros_simple(line, pairs, types, imported)
    return imported


def _ros_simple(
    line: str, pairs: Mapping[str, str], types: Mapping[str, CakeSaid], imported: Imported
) -> None:
    """A simple queue on the line's device has download first: what is received, then sent."""
    device = pairs.get("target", "").partition("/")[0]
    written = line.partition("queue=")[2].partition(" ")[0]
    names = [_ros(name) for name in written.split("/")]
    rates = pairs.get("max-limit", "0/0").split("/")
    for side, name, rate in zip(("ingress", "egress"), names, rates, strict=False):
        if name in types and device:
            said = types[name]
            try:
                bits = rate_of(rate.lower() + "bit" if rate[-1:].isalpha() else rate)
            except NumberError:
                bits = 0
            said = said._replace(rate=bits or said.rate)  # what it drops is never charged
            imported.link(device).ends[side] = End("cake", said)


def _ros(value: str) -> str:
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:].partition('"')[0] if '\\"' not in value else
                      value[1:-1])  # fmt: skip
    return value.rstrip("]")


def _ros_cake(pairs: Mapping[str, str], imported: Imported) -> CakeSaid:
    said = CakeSaid()
    for name, value in pairs.items():
        try:
            said = _ros_setting(said, name, value)
        except (NumberError, ValueError):
            imported.say(Kind.LOST, "setting", f"{name}={value} of RouterOS is not understood")
    return said


def _ros_setting(said: CakeSaid, name: str, value: str) -> CakeSaid:  # noqa: PLR0911
    match name:
        case "cake-bandwidth":
            return said._replace(
                rate=rate_of(value.lower() + "bit" if value[-1:].isalpha() else value)
            )
        case "cake-diffserv":
            return said._replace(mode=value)
        case "cake-flowmode":
            return said._replace(flow=value)
        case "cake-nat":
            return said._replace(nat=value == "yes")
        case "cake-wash":
            return said._replace(wash=value == "yes")
        case "cake-autorate-ingress":
            return said._replace(autorate=value == "yes")
        case "cake-ack-filter":
            return said._replace(ack=_ROS_ACKS.get(value, "no-ack-filter"))
        case "cake-rtt":
            return said._replace(rtt=time_of(value))
        case "cake-overhead":
            return said._replace(overhead=int(value), raw=False)
        case "cake-mpu":
            return said._replace(mpu=int(value))
        case "cake-atm":
            return said._replace(cells=_ROS_CELLS.get(value, "noatm"))
        case "cake-memlimit":
            return said._replace(memlimit=size_of(value))
        case _:
            return said
