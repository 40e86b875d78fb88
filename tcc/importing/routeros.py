"""RouterOS's queue types of the kind cake, and the queues that use them."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from tcc.importing.found import End, Imported, Kind
from tcc.tcwords.cake import FLOWS, MODES, CakeSaid, replay
from tcc.tcwords.numbers import NumberError, rate_of, size_of, time_of

_ROS_PAIR = re.compile(r'([a-z-]+)=("(?:[^"\\]|\\.)*"|\S+)')
_WORDS = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^\s"])+')
_ENDS = re.compile(r""";(?=(?:[^"]*"[^"]*")*[^"]*$)""")
_ADDRESS = re.compile(r"[0-9.]+(/[0-9]+)?|[0-9A-Fa-f:]*:[0-9A-Fa-f:]*(/[0-9]+)?")
_VERBS: Final = ("add", "set", "remove", "print", "disable", "enable")
_ROS_ACKS: Final = {"filter": "ack-filter", "aggressive": "ack-filter-aggressive"}
_ROS_CELLS: Final = {"atm": "atm", "ptm": "ptm"}


class _Order(NamedTuple):
    """One command: its menu, what it does there, its other words, its values by name."""

    menu: str
    verb: str
    words: tuple[str, ...]
    pairs: dict[str, str]
    line: int


def read_routeros(text: str) -> Imported:
    """Return the links of RouterOS's queue types, where a queue uses them."""
    imported = Imported()
    types: dict[str, CakeSaid] = {}
    for order in _orders(text):
        pairs = order.pairs
        match order.menu, order.verb:
            case "/queue type", "add" | "set" if pairs.get("kind") == "cake":
                types[pairs.get("name", "")] = _ros_cake(pairs, imported, order.line)
            case "/queue interface", "set" if pairs.get("queue") in types:
                device = pairs.get("interface") or "".join(order.words[:1])
                imported.link(device).ends["egress"] = End("cake", types[pairs["queue"]])
            case "/queue simple", "add":
                _ros_simple(order, types, imported)
            case "/queue tree", "add":
                imported.say(
                    Kind.LOST, "queue-tree",
                    f"the queue `{pairs.get('name', '')}` is in a tree, which takes packets by "
                    "marks: make a simple queue of it", order.line,
                )  # fmt: skip
    return imported


def _orders(text: str) -> Iterator[_Order]:
    """Yield the commands: a line that begins with `/` names the menu of those after it."""
    menu, held, start = "", "", 1
    for number, line in enumerate(text.splitlines(), 1):
        start = start if held else number
        if line.endswith("\\"):
            held += line[:-1].rstrip() + ("" if line[:-1].endswith("=") else " ")
            continue
        written, held = held + line.strip(), ""
        if written.startswith("#"):
            continue
        for one in _ENDS.split(written):
            words = [part for part in _WORDS.findall(one) if part]
            if words and words[0].startswith("/"):
                at = next((k for k, word in enumerate(words) if word in _VERBS), len(words))
                menu, words = " ".join(words[:at]).replace("queue/", "queue "), words[at:]
            if words and words[0] in _VERBS:
                pairs = dict(_ROS_PAIR.findall(" ".join(words[1:])))
                plain = tuple(word for word in words[1:] if "=" not in word)
                yield _Order(menu, words[0], plain, {k: _ros(v) for k, v in pairs.items()}, start)


def _ros_simple(order: _Order, types: Mapping[str, CakeSaid], imported: Imported) -> None:
    """A simple queue on the line's device has download first: what is received, then sent."""
    device = order.pairs.get("target", "")
    names = order.pairs.get("queue", "").split("/")
    if not any(name in types for name in names):
        return
    if _ADDRESS.fullmatch(device):
        imported.say(
            Kind.LOST, "queue-of-addresses",
            f"the queue is for the addresses {device}, not for a device: the line's own is shaped "
            "by naming its interface as the target", order.line,
        )  # fmt: skip
        return
    rates = order.pairs.get("max-limit", "0/0").split("/")
    for side, name, rate in zip(("ingress", "egress"), names, rates, strict=False):
        if name in types and device:
            said = types[name]
            bits = _ros_rate(rate, order, imported)
            said = said._replace(rate=bits or said.rate)  # what it drops is never charged
            imported.link(device).ends[side] = End("cake", said)


def _ros_rate(text: str, order: _Order, imported: Imported) -> int:
    try:
        return _rate(text)
    except NumberError:
        imported.say(Kind.LOST, "setting", f"max-limit={text} is not understood", order.line)
        return 0


def _rate(text: str) -> int:
    """Return the bit/s of RouterOS's `85M`, `0bps`, `10000000`."""
    plain = text.lower().removesuffix("bps")
    return rate_of(f"{plain}bit" if plain[-1:].isalpha() else plain)


def _ros(value: str) -> str:
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1:].partition('"')[0] if '\\"' not in value else
                      value[1:-1])  # fmt: skip
    return value.rstrip("]")


def _ros_cake(pairs: dict[str, str], imported: Imported, line: int) -> CakeSaid:
    said = CakeSaid()
    if pairs.get("cake-overhead-scheme") == "" and pairs.get("cake-overhead") == "0":
        pairs = pairs | {"cake-overhead": ""}  # as an export says of a queue that was given none
    # The schemes are presets, which numbers replace, as in tc.
    for name, value in sorted(pairs.items(), key=lambda pair: not pair[0].endswith("-scheme")):
        try:
            said = _ros_setting(said, name, value)
        except (NumberError, ValueError):
            imported.say(
                Kind.LOST, "setting", f"{name}={value} of RouterOS is not understood", line
            )
    return said


def _preset(said: CakeSaid, words: str) -> CakeSaid:
    """Return `said` after tc's own presets, such as `ethernet,pppoe-ptm`."""
    made = replay(words.split(","), said)
    if made.unknown:
        raise ValueError(words)
    return made.said


def _ros_setting(said: CakeSaid, name: str, value: str) -> CakeSaid:  # noqa: PLR0911
    match name:
        case "cake-bandwidth":
            return said._replace(rate=_rate(value))
        case "cake-diffserv":
            return said._replace(mode=MODES[MODES.index(value)])
        case "cake-flowmode":
            return said._replace(flow=FLOWS[FLOWS.index(value)])
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
            return said._replace(overhead=int(value), raw=False) if value else said
        case "cake-overhead-scheme" | "cake-rtt-scheme":
            return _preset(said, value) if value not in ("", "none") else said
        case "cake-mpu":
            return said._replace(mpu=int(value))
        case "cake-atm":
            return said._replace(cells=_ROS_CELLS.get(value, "noatm"))
        case "cake-memlimit":
            return said._replace(memlimit=size_of(value))
        case _ if name.startswith("cake-"):
            raise ValueError(name)
        case _:
            return said
