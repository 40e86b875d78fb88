"""The kernel's traffic control in one network namespace, as a system that can be changed."""

import errno
from collections.abc import Iterator, Sequence
from typing import Final

from tcc import plugin
from tcc.apply.system import Result
from tcc.closing import Closing
from tcc.diagnostics import Diagnostic, error
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket
from tcc.plan.diff import ROOT
from tcc.plan.operation import Operation, Plan, Verb
from tcc.plan.state import (
    LINK,
    Difference,
    FileItem,
    FilterItem,
    Item,
    LinkItem,
    QdiscItem,
    RulesItem,
    State,
    is_tree,
)
from tcc_plugins.netlink import observing, restorable, surroundings, taken
from tcc_plugins.netlink.nft import Nft
from tcc_plugins.netlink.requests import request

AT_ONCE: Final = 100
"""Requests between two looks at whether to go on."""


class Host(Closing):
    """One namespace, over one socket; a context manager.

    Raises:
        FileNotFoundError: there is no such namespace.
        PermissionError: entering it takes CAP_SYS_ADMIN.
    """

    def __init__(self, namespace: Namespace | None = None) -> None:
        self._route = RouteSocket(namespace)
        try:
            self._nft = Nft(namespace)
        except BaseException:
            self._route.close()
            raise
        self._numbers: dict[str, int] = {}
        self._queue_kinds: dict[str, set[str]] = {}

    def close(self) -> None:
        """Give the socket and the thread back."""
        self._route.close()
        self._nft.close()

    def observe(self, wanted: State) -> State:
        """Return what is in the places of `wanted`, and all that hangs below a root there.

        Of a device that is itself such a place the root is told as well: it goes with it.

        Places on devices that are not there are left out; where only the thing itself is not
        there, `NOTHING` is.

        Raises:
            OSError: the kernel or nft would not list, or its tables never stood still.
        """
        devices = dict.fromkeys(place.device for place in wanted)
        self._numbers = observing.indexes(self._route, devices)
        rest = [place for place in wanted if place.at != ROOT and not is_tree(place)]
        trees = None
        if rest:  # elsewhere every device has its tree looked at, and that is all
            trees = {place.device for place in wanted if is_tree(place) or place.at == LINK}
        reading = observing.of_kernel(self._route, self._numbers, trees)
        self._queue_kinds = reading.queue_kinds
        if rest:
            around = surroundings.Surroundings(self._route, self._nft, self._numbers, reading)
            reading.state.update(around.of(rest))
        return reading.state

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare two items in the kernel's own terms."""
        return differences(wanted, observed)

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether the kernel takes `observed` to `wanted` in place."""
        return changeable(wanted, observed)

    def obstacles(self, plan: Plan) -> Sequence[Diagnostic]:
        """Return `no-such-device` and `cannot-restore`, as far as they hold."""
        made = {place.device for place in plan.wanted if place.at == LINK}
        devices = dict.fromkeys(place.device for place in plan.wanted)
        found = [
            error(
                "no-such-device",
                None,
                f"there is no device {device} here",
                "a device that comes later gets its policy by applying again",
            )
            for device in devices
            if device not in self._numbers and device not in made
        ]
        return [
            *found,
            *taken.obstacles(plan),
            *restorable.obstacles(plan, self._numbers, self._queue_kinds, self._route),
        ]

    def perform(self, operations: Sequence[Operation]) -> Iterator[Sequence[Result]]:
        """Send requests in order, some in one datagram, and yield the answers.

        A device that a step makes has no number before, so what comes after it is sent when
        that step is done; nftables have a transaction of their own.
        """
        made = {step.place.device for step in operations if makes_device(step)}
        missing = [
            step
            for step in operations
            if step.place.device not in made and not self._number_of(step.place.device)
        ]
        if missing:
            yield [Result(step, errno.ENODEV, "the device is gone") for step in missing]
        steps = [step for step in operations if step not in missing]
        for part in _parts(steps):
            if step_on_rules(part[0]):
                yield [self._load(part[0])]
            else:
                yield self._send(part)

    def _send(self, steps: Sequence[Operation]) -> Sequence[Result]:
        messages = [request(step, self._number_of) for step in steps]
        acks = self._route.batch(messages, AT_ONCE)
        for step in steps:
            if isinstance(step.before, LinkItem) and step.verb is Verb.DELETE:
                self._numbers.pop(step.place.device, None)
        return [
            Result(step, ack.errno, "" if ack.ok else ack.reason)
            for step, ack in zip(steps, acks, strict=True)
        ]

    def _number_of(self, device: str) -> int:
        """Return the number of a device, 0 where there is none; those just made included."""
        if device not in self._numbers:
            self._numbers.update(observing.indexes(self._route, [device]))
        return self._numbers.get(device, 0)

    def _load(self, step: Operation) -> Result:
        item = step.before if step.verb is Verb.DELETE else step.after
        assert isinstance(item, RulesItem)
        text = f"add table inet {item.table}\ndelete table inet {item.table}\n"
        if step.verb is not Verb.DELETE:
            text += item.text
        complaint = self._nft.load(text)
        return Result(step, errno.EINVAL if complaint else 0, complaint)


def makes_device(step: Operation) -> bool:
    """Whether a step makes a device."""
    return isinstance(step.after, LinkItem) and step.verb is Verb.ADD


def step_on_rules(step: Operation) -> bool:
    """Whether a step is about nftables."""
    return isinstance(step.before, RulesItem) or isinstance(step.after, RulesItem)


def _parts(steps: Sequence[Operation]) -> Iterator[list[Operation]]:
    """Yield steps that can go out together: what follows a new device waits for it."""
    part: list[Operation] = []
    new: set[str] = set()
    for step in steps:
        waits = step.place.device in new or (
            isinstance(step.after, FilterItem) and step.after.redirects in new
        )
        if part and (
            waits or len(part) == AT_ONCE or step_on_rules(step) or step_on_rules(part[0])
        ):
            yield part
            part, new = [], set()
        part.append(step)
        if makes_device(step):
            new.add(step.place.device)
    if part:
        yield part


def differences(wanted: Item, observed: Item) -> Sequence[Difference]:
    """Return how two items differ; where no plugin knows a kind of qdisc, whether they do."""
    if isinstance(wanted, FileItem) or isinstance(observed, FileItem):
        raise TypeError("files do not live in the kernel")
    if not isinstance(wanted, QdiscItem) or not isinstance(observed, QdiscItem):
        return surroundings.differences(wanted, observed)
    if wanted.default or observed.default or wanted.kind != observed.kind:
        same = wanted.default and observed.default
        return () if same else (Difference("kind", wanted.kind, observed.kind),)
    if wanted.raw and wanted.raw == observed.raw:
        return ()
    if wanted.settings is not None and observed.settings is not None:
        if wanted.settings == observed.settings:
            return ()
        return plugin.qdisc(wanted.kind).differences(wanted.settings, observed.settings)
    if wanted.raw == observed.raw:
        return ()
    return (Difference("options", wanted.raw.hex(), observed.raw.hex()),)


def changeable(wanted: Item, observed: Item) -> bool:
    """Whether the kernel takes `observed` to `wanted`, of the same kind, in place.

    Of a kind that no plugin knows it is not known either, so the answer is no.
    """
    if not isinstance(wanted, QdiscItem) or not isinstance(observed, QdiscItem):
        if isinstance(wanted, LinkItem) and isinstance(observed, LinkItem):
            return surroundings.has_queues(wanted, observed)
        return isinstance(wanted, RulesItem)
    if wanted.kind != observed.kind or wanted.settings is None or observed.settings is None:
        return False
    return plugin.qdisc(wanted.kind).changes_in_place
