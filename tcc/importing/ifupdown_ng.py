"""Interfaces with ifupdown-ng's `cake` and `cake-ingress` executors."""

from collections.abc import Iterator, Mapping
from typing import Final

from tcc.importing.found import Imported, Kind
from tcc.importing.links import links_of
from tcc.importing.machine import Machine
from tcc.importing.shell import Command


def read_ifupdown_ng(text: str) -> Imported:
    """Return the links of interfaces with ifupdown-ng's `cake` and `cake-ingress`."""
    machine = Machine()
    imported_remarks: list[tuple[str, str]] = []
    for device, keys in _stanzas(text):
        words = keys.get("cake-args") or " ".join(_keys(keys, device, imported_remarks))
        if not words and "cake" not in keys.get("use", "").split():
            continue
        line = ("tc", "qdisc", "add", "dev", device, "root", "cake", *words.split())
        machine.run(Command(0, line))
        if "cake-ingress-dev" in keys:
            source = keys["cake-ingress-dev"]
            words = "parent ffff: matchall action mirred egress redirect dev"
            machine.run(Command(0, ("tc", "filter", "add", "dev", source, *words.split(), device)))
    imported = links_of(machine)
    for key, value in imported_remarks:
        imported.say(
            Kind.SUSPICIOUS, "no-means-yes",
            f"`{key} {value}` switches it on: the executor looks whether anything is there",
        )  # fmt: skip
    return imported


def _stanzas(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    device, keys = "", dict[str, str]()
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        if words[0] in ("auto", "iface", "interface", "template") and len(words) > 1:
            if device and words[0] != "auto" and keys:
                yield device, keys
                keys = {}
            elif device and words[0] == "auto" and keys:
                yield device, keys
                keys, device = {}, ""
            if words[0] != "auto":
                device = words[1]
        elif device and len(words) > 1:
            value = " ".join(words[1:])
            keys[words[0]] = f"{keys['use']} {value}" if words[0] == "use" in keys else value
    if device and keys:
        yield device, keys


_SIMPLE_KEYS: Final = {
    "cake-bandwidth": "bandwidth", "cake-memlimit": "memlimit", "cake-fwmark": "fwmark",
    "cake-mpu": "mpu",
}  # fmt: skip
_FLAG_KEYS: Final = {"cake-nat": "nat", "cake-wash": "wash", "cake-ingress": "ingress"}


def _keys(keys: Mapping[str, str], device: str, remarks: list[tuple[str, str]]) -> Iterator[str]:
    """Yield the words that the executor makes of single keys."""
    for key, value in keys.items():
        if key in _SIMPLE_KEYS:
            yield f"{_SIMPLE_KEYS[key]} {value}"
        elif key in ("cake-tins", "cake-isolation", "cake-ack", "cake-atm"):
            yield value
        elif key in ("cake-rtt", "cake-overhead"):
            plain = value.lstrip("-")[:1].isdigit()
            yield f"{key.removeprefix('cake-')} {value}" if plain else value
        elif key in _FLAG_KEYS:
            if not value.lower().startswith(("y", "t", "1")):
                remarks.append((key, value))
            yield _FLAG_KEYS[key]
        elif key == "cake-split_gso" and not value.lower().startswith(("y", "t", "1")):
            yield "no-split-gso"
