"""The `table` back end: what each link would get, as comma-separated values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tcc import plugin
from tcc.diagnostics import Diagnostic, has_errors
from tcc.express import table
from tcc.ir import Policy
from tcc.lower import lower_policy
from tcc.plan.state import FileItem, Item, Place, State
from tcc.plugin import Difference, Expressed, Target, Wish

FILE = "links.csv"


class Table:
    """One line for each direction of each link."""

    name = "table"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return one file; what it cannot hold is an error at the words that ask for it."""
        lowered, found = lower_policy(policy, target.facts, target.spans)
        found = [*found, *(item for one in lowered for item in _refused(one.wish))]
        if has_errors(found):
            return {}, found
        rows = ["link,device,direction,qdisc,options"]
        for one in lowered:
            words = " ".join(plugin.qdisc(one.kind).command(one.settings))
            link = one.wish.link
            rows.append(
                f"{link.name},{one.wish.device.name},{one.wish.direction},{one.kind},{words}"
            )
        return {Place("", FILE): FileItem("\n".join(rows) + "\n")}, found

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause: all but bounds is as the qdisc has it."""
        lowered, found = lower_policy(policy, target.facts, target.spans)
        found = [*found, *(item for one in lowered for item in _refused(one.wish))]
        return table(lowered, (), found)

    def observe(self, wanted: State) -> State:
        """Return nothing: a table is never read back."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return () if wanted == observed else (Difference("text", "this one", "another one"),)


def _refused(wish: Wish) -> Iterator[Diagnostic]:
    bandwidth = wish.shaping.bandwidth
    if bandwidth is not None and bandwidth.minimum is not None:
        yield wish.cannot(
            "bandwidth", "table-cannot", "a table has one rate, and nobody to move it"
        )
