"""CAKE with one round of flows: a flow that was empty waits its turn like all others.

The kernel's CAKE serves a flow that was empty before those that were not (its list of sparse
flows, DRR++).  The cost constants of a contended root lock were fitted with a model that has plain
DRR instead: there a flow that a flood lets run empty is not spared.  `OneRound` makes that model
of the engine's CAKE; all else stays as it is.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

from tcc.engine.cake.qdisc import Cake

if not cython.compiled:
    from tcc.engine.cake.rows import NEW, OLD, Flow


class OneRound:
    """Moves flows that CAKE has put in its list of new flows to the end of the old ones.

    Args:
        cake: with one tin; nothing else may enqueue to it.

    Raises:
        ValueError: it has several tins.
    """

    def __init__(self, cake: Cake) -> None:
        if cake.tin_count != 1:
            raise ValueError("one round is for a CAKE with one tin")
        self.cake = cake

    def join(self) -> cython.void:
        """Move the flow that the last packet has made active, if it has."""
        flows: cython.pointer[Flow] = self.cake.flows[0]
        slot: cython.int = flows[NEW].next
        last: cython.int = flows[OLD].previous
        if slot == NEW:
            return
        flows[NEW].next = flows[slot].next
        flows[flows[slot].next].previous = NEW
        flows[slot].next = OLD
        flows[slot].previous = last
        flows[last].next = slot
        flows[OLD].previous = slot

    def settle(self) -> None:
        """`join`, from Python."""
        self.join()
