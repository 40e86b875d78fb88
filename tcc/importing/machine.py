"""A machine on which tc commands run one after the other, as far as shaping needs it.

As the kernel does it: `add` and `replace` make a qdisc, `change` and a `replace` of the same kind
alter only what they mention, `del` takes away. Source: tc(8); CAKE specification, section 2.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tcc.importing.found import Kind, Remark, remarks_of
from tcc.importing.shell import UNKNOWN, Command
from tcc.tcwords.cake import CakeSaid, replay
from tcc.tcwords.numbers import NumberError, rate_of

CAKES: Final = ("cake", "cake_mq")
HOOKS: Final = ("ingress", "clsact")
_OWN: Final = ("noqueue", "pfifo_fast", "mq", "fq_codel", "fq", "pfifo", "noop")
"""Kinds that a kernel or a distribution attaches by itself."""
_HANDLE = re.compile(r"[0-9a-fA-F]*:[0-9a-fA-F]*")
_STAB: Final = ("mtu", "tsize", "mpu", "overhead", "linklayer", "data")
_QDISC_FLAGS: Final = ("offloaded", "estimator")


@dataclass(slots=True)
class Qdisc:
    """A qdisc: its kind, its handle, and its words."""

    kind: str
    handle: str
    words: tuple[str, ...]
    line: int
    said: CakeSaid = field(default_factory=CakeSaid)
    overhead_said: bool = False
    stab: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Redirect:
    """A filter that sends what comes in on a device to another one."""

    to: str
    protocol: str
    line: int
    everything: bool
    before: tuple[str, ...] = ()
    """Actions that come before the redirect."""


@dataclass(slots=True)
class Device:
    """What hangs on one device."""

    root: Qdisc | None = None
    inside: dict[str, Qdisc] = field(default_factory=dict)
    """By the parent that it hangs on."""
    rates: dict[str, int] = field(default_factory=dict)
    """bit/s of each class of htb and its like."""
    redirects: list[Redirect] = field(default_factory=list)
    is_ifb: bool = False
    polices: int | None = None
    """The line of a filter that polices."""
    remarks: list[Remark] = field(default_factory=list)


class Machine:
    """The devices, and what was not understood."""

    def __init__(self) -> None:
        self.devices: dict[str, Device] = {}
        self.remarks: list[Remark] = []

    def device(self, name: str) -> Device:
        """Return a device, which begins to exist when it is spoken of."""
        return self.devices.setdefault(name, Device())

    def run(self, command: Command) -> None:
        """Do one command of tc or ip; others are passed over."""
        words = command.words
        if any(UNKNOWN in word for word in words):
            makes = not any(word in words[1:4] for word in ("link", "show", "ls", "list", "get"))
            if words[0] in ("tc", "ip") and makes:
                shown = " ".join(words).replace(UNKNOWN, "?")
                self.remarks.append(
                    Remark(Kind.LOST, "not-plain", f"only a shell knows `?` in: {shown}",
                           command.line)
                )  # fmt: skip
            return
        if words[0] == "ip":
            self._ip(words)
            return
        rest = [word for word in words[1:] if not word.startswith("-") or word[1:2].isdigit()]
        if len(rest) < 2:
            return
        what, verb, *operands = rest
        if what == "qdisc":
            self._qdisc(verb, operands, command.line)
        elif what == "class" and verb in ("add", "replace", "change"):
            self._class(operands)
        elif what == "filter":
            self._filter(verb, operands, command.line)

    def _ip(self, words: Sequence[str]) -> None:
        if "type" in words and "ifb" in words[words.index("type") :] and "add" in words:
            after = words[words.index("add") + 1 :]
            name = next((word for word in after if word not in ("name", "dev")), None)
            if name:
                self.device(name).is_ifb = True

    def _qdisc(self, verb: str, operands: Sequence[str], line: int) -> None:
        place = _Place(operands)
        if place.device is None:
            return
        device = self.device(place.device)
        if verb in ("del", "delete"):
            self._delete(device, place)
            return
        if verb not in ("add", "replace", "change", "set") or place.kind is None:
            return
        if place.kind in HOOKS:
            return
        made = Qdisc(place.kind, place.handle, tuple(place.words), line, stab=place.stab)
        before = device.root if place.parent == "root" else device.inside.get(place.parent)
        merges = verb in ("change", "set") or (
            verb == "replace" and before is not None and before.kind == place.kind
        )
        if place.kind in CAKES:
            replayed = replay(place.words)
            device.remarks += remarks_of(replayed, f"cake on {place.device}", line)
            made.said = replayed.said
            made.overhead_said = "overhead" in replayed.mentioned
            if merges and before is not None and before.kind in CAKES:
                kept = {name: getattr(replayed.said, name) for name in replayed.mentioned}
                if "overhead" in kept:
                    kept["raw"] = replayed.said.raw
                made.said = before.said._replace(**kept)
                made.overhead_said |= before.overhead_said
        if place.parent == "root":
            device.root, device.inside, device.rates = made, {}, {}
        else:
            device.inside[place.parent] = made

    @staticmethod
    def _delete(device: Device, place: "_Place") -> None:
        if place.kind in HOOKS or place.parent in HOOKS or place.handle == "ffff:":
            device.redirects = []
        elif place.parent == "root":
            device.root, device.inside, device.rates = None, {}, {}
        else:
            device.inside.pop(place.parent, None)

    def _class(self, operands: Sequence[str]) -> None:
        place = _Place(operands)
        if place.device is None:
            return
        for name in ("rate", "m2"):
            if name in operands[:-1]:
                try:
                    rate = rate_of(operands[operands.index(name) + 1])
                except NumberError:
                    continue
                self.device(place.device).rates[place.handle or place.parent] = rate
                return

    def _filter(self, verb: str, operands: Sequence[str], line: int) -> None:
        name = _after(operands, "dev")
        if name is None:
            return
        device = self.device(name)
        parent = _after(operands, "parent") or next(
            (word for word in ("ingress", "egress", "root") if word in operands), ""
        )
        incoming = parent.startswith("ffff:") or parent == "ingress"
        if verb in ("del", "delete"):
            if incoming:
                device.redirects = []
            return
        if verb not in ("add", "replace", "change"):
            return
        if "redirect" in operands and incoming:
            self._redirect(device, operands, line)
        elif "police" in operands and incoming:
            device.polices = line
        elif not incoming:
            self._classifier(name, device, operands, line)

    def _redirect(self, device: Device, operands: Sequence[str], line: int) -> None:
        after = operands[operands.index("redirect") :]
        to = _after(after, "dev")
        if to is None:
            return
        self.device(to).is_ifb = True
        before = tuple(
            word for word in ("ctinfo", "connmark", "skbedit", "nat")
            if word in operands[: operands.index("redirect")]
        )  # fmt: skip
        protocol = _after(operands, "protocol") or "all"
        matches = "matchall" in operands or "u32 match u32 0 0" in " ".join(operands)
        device.redirects.append(Redirect(to, protocol, line, matches or "bpf" in operands, before))

    @staticmethod
    def _classifier(name: str, device: Device, operands: Sequence[str], line: int) -> None:
        """Keep what is odd about a filter that sorts for a qdisc."""
        root = device.root
        if root is not None and root.kind in CAKES and {"flowid", "classid"} & set(operands):
            device.remarks.append(
                Remark(
                    Kind.SUSPICIOUS, "flowid-overrides-flows",
                    f"a filter on the cake of {name} sets a flowid: cake takes it for the flow "
                    "and the host of every packet that matches", line,
                )
            )  # fmt: skip
        if (device.is_ifb or name.startswith("ifb")) and "fw" in operands:
            device.remarks.append(
                Remark(
                    Kind.SUSPICIOUS, "mark-before-netfilter",
                    f"a filter on {name} looks for marks, which netfilter sets after what comes "
                    "in has passed it: restore them by ctinfo or connmark before the redirect",
                    line,
                )
            )  # fmt: skip


class _Place:
    """Where a qdisc or a class goes, and what comes after."""

    def __init__(self, operands: Sequence[str]) -> None:
        self.device: str | None = None
        self.parent = "root"
        self.handle = ""
        self.kind: str | None = None
        self.stab: dict[str, str] = {}
        self.words: list[str] = []
        self._read(list(operands))

    def _read(self, left: list[str]) -> None:
        while left:
            word = left.pop(0)
            if word == "dev" and left:
                self.device = left.pop(0)
            elif word in ("parent", "handle", "classid") and left:
                value = left.pop(0)
                if word == "parent":
                    self.parent = value
                else:
                    self.handle = value
            elif word == "root":
                self.parent = "root"
            elif word == "refcnt" and left:
                left.pop(0)
            elif word == "stab":
                while len(left) > 1 and left[0] in _STAB:
                    name = left.pop(0)
                    self.stab[name] = left.pop(0)
            elif word not in _QDISC_FLAGS:
                self.kind, self.words = word, left
                return


def _after(words: Sequence[str], name: str) -> str | None:
    """Return the word after `name`."""
    return words[words.index(name) + 1] if name in words[:-1] else None


def is_own(kind: str) -> bool:
    """Whether nobody need have asked for a kind at the root of a device."""
    return kind in _OWN
