"""Inside a guest: put qdiscs on devices by our bytes and by tc's words, and compare.

Starting tc takes longer than all else here, so many cases are done at once, each on a device
of its own: one tc for all of their words, one to show what came of it.
"""

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tcc.netlink import links, qdisc
from tcc.netlink.handle import ROOT, Handle
from tcc.netlink.objects import TcObject
from tcc.netlink.transport import RouteSocket
from tcc.plugin import Child, QdiscPlugin
from tcc.plugin import qdisc as plugin_for

HANDLE = Handle.parse("1:")
PLACES = ("handle", "parent", "root", "refcnt", "dev")


@dataclass(frozen=True)
class Case:
    """Settings, and tc's own words for the same, where there are any."""

    plugin: QdiscPlugin
    settings: Any
    words: Sequence[str] | None = None

    def __str__(self) -> str:
        return " ".join(self.words) if self.words is not None else str(self.settings)


def run(*command: str, stdin: str = "") -> str:
    done = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr or done.stdout}\n{stdin}")
    return done.stdout


def make_veth(name: str, queues: int = 1) -> None:
    own = f"link add {name} numtxqueues {queues} numrxqueues {queues} type veth"
    peer = f"peer name {name}p numtxqueues {queues} numrxqueues {queues}"
    run("ip", *own.split(), *peer.split())


class Bench:
    """Some devices of one kind, on which cases are tried side by side."""

    def __init__(self, route: RouteSocket, name: str, count: int, queues: int = 1) -> None:
        self.route = route
        self.names = [f"{name}n{number}" for number in range(count)]
        for device in self.names:
            make_veth(device, queues)
        self.indices = {device: links.by_name(route, device).ifindex for device in self.names}

    def clear(self) -> None:
        for index in self.indices.values():
            self.route.batch([qdisc.delete(qdisc.QdiscMessage(index, Handle(0), ROOT))])

    def send(self, device: str, plugin: QdiscPlugin, settings: Any) -> None:
        """Put the qdisc and its children there by our own bytes."""
        self.put(device, (HANDLE, ROOT), plugin, plugin.netlink(settings))
        for number, child in enumerate(plugin.children(settings), 2):
            inner = plugin_for(child.kind)
            at = (Handle.of(number, 0), Handle.of(HANDLE.major, child.minor))
            self.put(device, at, inner, inner.netlink(child.settings))

    def put(
        self, device: str, at: tuple[Handle, Handle], plugin: QdiscPlugin, payload: bytes | None
    ) -> None:
        message = qdisc.QdiscMessage(self.indices[device], *at, plugin.kind, payload)
        self.route.request(qdisc.replace(message))

    def shown(self) -> dict[str, list[Any]]:
        """Return what `tc -j -d qdisc show` says, by device, without handles and places.

        The JSON lacks some of what the text has (tbf's peak), so the text is there too.
        """
        found: dict[str, list[Any]] = {device: [] for device in self.names}
        for item in json.loads(run("tc", "-j", "-d", "qdisc", "show")):
            if item["dev"] in found:
                found[item["dev"]].append({k: v for k, v in item.items() if k not in PLACES})
        for line in run("tc", "-d", "qdisc", "show").splitlines():
            words = line.split()
            if words[4] in found:
                found[words[4]].append([words[1], *words[5:]])
        return found

    def dumped(self) -> dict[tuple[str, Handle], TcObject]:
        """Return the kernel's own dump, by device and parent."""
        names = {index: name for name, index in self.indices.items()}
        return {
            (names[one.ifindex], one.parent): one
            for one in qdisc.dump(self.route, invisible=True)
            if one.ifindex in names
        }

    def unlike(self, cases: dict[str, Case]) -> list[str]:
        """Return what the kernel dumps otherwise than it was sent, children included."""
        dump = self.dumped()
        wrong = []
        for device, case in cases.items():
            here = [(ROOT, case.plugin, case.settings)]
            for child in case.plugin.children(case.settings):
                at = Handle.of(HANDLE.major, child.minor)
                here.append((at, plugin_for(child.kind), child.settings))
            for at, plugin, settings in here:
                found = dump[device, at]
                if found.kind != plugin.kind:
                    wrong.append(f"{case}: {plugin.kind} is dumped as {found.kind}")
                    continue
                observed = plugin.read(found.options)
                wrong += [f"{case}: {one}" for one in plugin.differences(settings, observed)]
        return wrong

    def compare(self, cases: Sequence[Case]) -> list[str]:
        """Return every way in which our bytes, our words and tc's own words do not agree."""
        wrong = []
        for start in range(0, len(cases), len(self.names)):
            some = dict(zip(self.names, cases[start : start + len(self.names)], strict=False))
            wrong += self._compare(some)
        return wrong

    def _compare(self, cases: dict[str, Case]) -> list[str]:
        self.clear()
        for device, case in cases.items():
            self.send(device, case.plugin, case.settings)
        ours = self.shown()
        wrong = [f"our bytes: {one}" for one in self.unlike(cases)]
        by_command = {
            device: (case.plugin.command(case.settings), case) for device, case in cases.items()
        }
        own = {
            device: (case.words, case) for device, case in cases.items() if case.words is not None
        }
        for name, said in (("command", by_command), ("tc's words", own)):
            self.clear()
            lines = [
                line
                for device, (words, case) in said.items()
                for line in tc_lines(device, case, words)
            ]
            run("tc", "-batch", "-", stdin="\n".join(lines) + "\n")
            theirs = self.shown()
            wrong += [f"{name}: {one}" for one in self.unlike({d: cases[d] for d in said})]
            wrong += [
                f"{name}: {cases[device]}: {theirs[device]} and by our bytes {ours[device]}"
                for device in said
                if theirs[device] != ours[device]
            ]
        return wrong


def tc_lines(device: str, case: Case, words: Sequence[str]) -> list[str]:
    """Return the commands of `tc -batch` that make the case, with `words` for its root."""
    lines = [f"qdisc add dev {device} root handle {HANDLE} {case.plugin.kind} {' '.join(words)}"]
    children: Sequence[Child] = case.plugin.children(case.settings)
    for number, child in enumerate(children, 2):
        inner = " ".join(plugin_for(child.kind).command(child.settings))
        at = f"parent {Handle.of(HANDLE.major, child.minor)} handle {number}:"
        lines.append(f"qdisc add dev {device} {at} {child.kind} {inner}")
    return lines
