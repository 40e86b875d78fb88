"""The kinds of source, how each is read, and how a file's kind is told from its name and text."""

import os
import re
from collections.abc import Callable, Mapping
from typing import Final

from tcc.importing.cake_qos_simple import read_cake_qos_simple
from tcc.importing.found import Imported
from tcc.importing.ifupdown_ng import read_ifupdown_ng
from tcc.importing.networkd import read_networkd
from tcc.importing.networkmanager import read_networkmanager
from tcc.importing.qosmate import read_qosmate
from tcc.importing.routeros import read_routeros
from tcc.importing.sqm import read_iface_conf, read_sqm, read_uci_commands
from tcc.importing.tc import read_commands
from tcc.importing.tcconfig import read_tcconfig
from tcc.importing.tcjson import JsonError, read_json
from tcc.importing.vyos import read_vyos
from tcc.tcwords.sqm import SQM

NEWEST: Final = "1.7"


class SourceError(ValueError):
    """A source that cannot be read as its kind; the message says why."""


Reader = Callable[[str, str | None, str], Imported]
"""Takes the text, the device that it is for where the text does not say, and sqm's version."""

KINDS: Final[Mapping[str, Reader]] = {
    "tc": lambda text, _, __: read_commands(text),
    "tc-json": lambda text, _, __: read_json(text),
    "sqm": lambda text, _, sqm: read_sqm(text, sqm),
    "sqm-uci": lambda text, _, sqm: read_uci_commands(text, sqm),
    "sqm-conf": read_iface_conf,
    "qosmate": lambda text, _, __: read_qosmate(text),
    "cake-qos-simple": lambda text, _, __: read_cake_qos_simple(text),
    "networkd": lambda text, device, _: read_networkd(text, device),
    "networkmanager": lambda text, device, _: read_networkmanager(text, device),
    "tcconfig": lambda text, _, __: read_tcconfig(text),
    "ifupdown-ng": lambda text, _, __: read_ifupdown_ng(text),
    "vyos": lambda text, _, __: read_vyos(text),
    "routeros": lambda text, _, __: read_routeros(text),
}
"""Each kind of text that can be read; a live machine is none of them."""

_SIGNS: Final = (
    ("sqm", re.compile(r"^\s*config\s+'?queue'?", re.M)),
    ("sqm-uci", re.compile(r"^\s*(uci\s+(-q\s+)?)?set\s+'?sqm\.", re.M)),
    ("qosmate", re.compile(r"^\s*config\s+'?settings'?\s[^[]*?option\s+'?WAN'?", re.M | re.S)),
    ("networkd", re.compile(r"^\[(CAKE|TokenBucketFilter|HierarchyTokenBucket)\]", re.M)),
    ("networkmanager", re.compile(r"^(\[tc\]|qdisc\.\S+=)", re.M)),
    ("cake-qos-simple", re.compile(r"^\s*cake_ul_rate_Mbps=", re.M)),
    ("sqm-conf", re.compile(r"^\s*(UPLINK|DOWNLINK)=", re.M)),
    ("vyos", re.compile(r"^\s*set (qos|traffic-policy) ", re.M)),
    ("routeros", re.compile(r"^/queue[ /](type|simple|interface|tree)", re.M)),
    ("ifupdown-ng", re.compile(r"^\s+(use\s+cake|cake-(args|bandwidth|ingress-dev)\s)", re.M)),
    ("tcconfig", re.compile(r'"(outgoing|incoming)"\s*:')),
    ("tc-json", re.compile(r"\A\s*\[\s*[]{]")),
)


def guess(text: str) -> str:
    """Return the kind that a text looks like; tc's commands if it looks like no other."""
    return next((kind for kind, sign in _SIGNS if sign.search(text)), "tc")


def read(kind: str, text: str, device: str | None = None, sqm: str = NEWEST) -> Imported:
    """Return what a text of some kind says.

    Args:
        kind: a key of `KINDS`.
        text: the source.
        device: the device that it is for, where it does not say so itself.
        sqm: the version of sqm-scripts.

    Raises:
        SourceError: it cannot be read at all.
    """
    if sqm not in SQM:
        raise SourceError(f"sqm-scripts {sqm} is not known; there are {', '.join(SQM)}")
    try:
        return KINDS[kind](text, device, sqm)
    except JsonError as problem:
        raise SourceError(str(problem)) from problem


def device_of(path: str) -> str | None:
    """Return the device that a file's name speaks of.

    >>> device_of("/etc/sqm/eth1.iface.conf")
    'eth1'
    """
    name = os.path.basename(path)
    end = ".iface.conf"
    return name.removesuffix(end) if name.endswith(end) else None
