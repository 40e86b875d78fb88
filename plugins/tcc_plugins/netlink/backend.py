"""What the kernel can be asked for over netlink, from a policy."""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, warning
from tcc.express import table
from tcc.facts import Facts
from tcc.ir import Policy
from tcc.lower.kernel import lower_for_kernel
from tcc.lower.link import LoweredQdisc
from tcc.netlink.namespace import Namespace
from tcc.plan.state import Difference, Item, State
from tcc.plugin import Expressed, Target
from tcc_plugins.netlink import observing
from tcc_plugins.netlink.host import Host, changeable, differences


class Netlink:
    """The traffic control of a running kernel."""

    name = "netlink"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return the qdiscs and what is around them, and what cannot be had.

        Found: `sysctl-left-alone`, and those of `lower_for_kernel`.
        """
        wanted = lower_for_kernel(policy, target.facts, target.spans)
        return wanted.state, [*wanted.found, *_left_alone(wanted.lowered)]

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause on the kernel."""
        wanted = lower_for_kernel(policy, target.facts, target.spans)
        return table(wanted.lowered, (), [*wanted.found, *_left_alone(wanted.lowered)])

    def observe(self, wanted: State) -> State:
        """Return what is there now in the namespace of this process."""
        with Host() as host:
            return host.observe(wanted)

    def recorded(self, facts: Facts, wanted: State) -> State:
        """Return what was there, in the places that `wanted` speaks of, when `facts` were taken."""
        return observing.of_facts(facts, wanted)

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare two qdiscs in the kernel's own terms."""
        return differences(wanted, observed)

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether the kernel takes `observed` to `wanted` in place."""
        return changeable(wanted, observed)

    def open(self, namespace: Namespace | None) -> Host:
        """Return the kernel's traffic control in a namespace, to be closed; errors as `Host`."""
        return Host(namespace)


def _left_alone(lowered: Sequence[LoweredQdisc]) -> Iterator[Diagnostic]:
    for one in lowered:
        for name, value in one.sysctls.items():
            yield warning(
                "sysctl-left-alone",
                one.wish.at("backpressure"),
                f"{name} is not set by this back end",
                f"set it once: sysctl -w {name}={value}",
            )
