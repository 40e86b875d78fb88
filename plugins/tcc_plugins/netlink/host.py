"""The kernel's traffic control in one network namespace, as a system that can be changed."""

import errno
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Final, Self

from tcc import plugin
from tcc.apply.system import Result
from tcc.diagnostics import Diagnostic, error
from tcc.netlink.namespace import Namespace
from tcc.netlink.transport import RouteSocket
from tcc.plan.operation import Operation, Plan
from tcc.plan.state import Difference, Item, QdiscItem, State
from tcc_plugins.netlink import observing, restorable
from tcc_plugins.netlink.requests import request

AT_ONCE: Final = 100
"""Requests between two looks at whether to go on."""


class Host:
    """One namespace, over one socket; a context manager.

    Raises:
        FileNotFoundError: there is no such namespace.
        PermissionError: entering it takes CAP_SYS_ADMIN.
    """

    def __init__(self, namespace: Namespace | None = None) -> None:
        self._route = RouteSocket(namespace)
        self._numbers: dict[str, int] = {}
        self._queue_kinds: dict[str, set[str]] = {}

    def close(self) -> None:
        """Give the socket back."""
        self._route.close()

    def __enter__(self) -> Self:
        """Return the host itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the socket."""
        self.close()

    def observe(self, wanted: State) -> State:
        """Return the root and what hangs below it, on every device that `wanted` names.

        Devices that are not there are left out.

        Raises:
            OSError: the kernel would not list, or its tables never stood still.
        """
        devices = dict.fromkeys(place.device for place in wanted)
        self._numbers = observing.indexes(self._route, devices)
        reading = observing.of_kernel(self._route, self._numbers)
        self._queue_kinds = reading.queue_kinds
        return reading.state

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare two items in the kernel's own terms."""
        return differences(wanted, observed)

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether the kernel takes `observed` to `wanted` in place."""
        return changeable(wanted, observed)

    def obstacles(self, plan: Plan) -> Sequence[Diagnostic]:
        """Return `no-such-device` and `cannot-restore`, as far as they hold."""
        found = [
            error(
                "no-such-device",
                None,
                f"there is no device {device} here",
                "a device that comes later gets its policy by applying again",
            )
            for device in dict.fromkeys(place.device for place in plan.wanted)
            if device not in self._numbers
        ]
        return [
            *found,
            *restorable.obstacles(plan, self._numbers, self._queue_kinds, self._route),
        ]

    def perform(self, operations: Sequence[Operation]) -> Iterator[Sequence[Result]]:
        """Send requests in order, some in one datagram, and yield the kernel's answers."""
        missing = [step for step in operations if step.place.device not in self._numbers]
        if missing:
            yield [Result(step, errno.ENODEV, "the device is gone") for step in missing]
        steps = [step for step in operations if step.place.device in self._numbers]
        messages = [request(step, self._numbers[step.place.device]) for step in steps]
        for start in range(0, len(steps), AT_ONCE):
            part = steps[start : start + AT_ONCE]
            acks = self._route.batch(messages[start : start + AT_ONCE], AT_ONCE)
            yield [
                Result(step, ack.errno, "" if ack.ok else ack.reason)
                for step, ack in zip(part, acks, strict=True)
            ]


def differences(wanted: Item, observed: Item) -> Sequence[Difference]:
    """Return how two qdiscs differ; where no plugin knows the kind, whether they do."""
    if not isinstance(wanted, QdiscItem) or not isinstance(observed, QdiscItem):
        raise TypeError("only qdiscs live in the kernel")
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
        return False
    if wanted.kind != observed.kind or wanted.settings is None or observed.settings is None:
        return False
    return plugin.qdisc(wanted.kind).changes_in_place
