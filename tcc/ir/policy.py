"""The whole policy."""

from typing import Literal

from tcc.ir.base import Node
from tcc.ir.link import Link
from tcc.ir.objective import Objective, Testbed, Workload
from tcc.ir.tier import Tier


class Policy(Node):
    """Everything that one policy file (with what it includes) says."""

    version: Literal[1] = 1
    links: tuple[Link, ...] = ()
    tiers: tuple[Tier, ...] = ()
    workloads: tuple[Workload, ...] = ()
    testbeds: tuple[Testbed, ...] = ()
    objectives: tuple[Objective, ...] = ()

    def tiers_of(self, link: Link) -> tuple[Tier, ...]:
        """Return the tiers of `link` in order of precedence: its own, then the policy's."""
        return link.tiers + self.tiers
