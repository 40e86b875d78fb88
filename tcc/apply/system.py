"""What a transaction needs of the system that it changes."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from tcc.diagnostics import Diagnostic
from tcc.facts import Facts
from tcc.netlink.namespace import Namespace
from tcc.plan.operation import Operation, Plan
from tcc.plan.state import Comparison, Item, State
from tcc.plugin import Backend


@dataclass(frozen=True, slots=True)
class Result:
    """The system's answer to one step.

    `errno` 0 means done; otherwise `text` is the system's own sentence for the refusal.
    """

    operation: Operation
    errno: int = 0
    text: str = ""

    @property
    def done(self) -> bool:
        """Whether the step was carried out."""
        return self.errno == 0


class System(Comparison, Protocol):
    """One system in one place, such as the kernel in one network namespace."""

    def observe(self, wanted: State) -> State:
        """Return what exists on the devices that `wanted` names, whole devices only."""
        ...

    def obstacles(self, plan: Plan) -> Sequence[Diagnostic]:
        """Return what forbids the plan before anything is touched.

        Chiefly what could not be put back exactly; spans are left out.
        """
        ...

    def perform(self, operations: Sequence[Operation]) -> Iterator[Sequence[Result]]:
        """Carry steps out, some at a time, and yield their results.

        What has not been asked for when the iteration is given up is not done.
        """
        ...


class LiveBackend(Backend, Protocol):
    """A back end whose system can be changed while it runs."""

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether `observed` can become `wanted`, of the same kind, without a new instance."""
        ...

    def open(self, namespace: Namespace | None) -> AbstractContextManager[System]:
        """Return the system in a network namespace; None is the one of this process.

        Raises:
            FileNotFoundError, PermissionError: as `tcc.netlink.namespace.route_socket`.
        """
        ...

    def recorded(self, facts: Facts, wanted: State) -> State:
        """Return what was in the places of `wanted` when `facts` were taken."""
        ...
