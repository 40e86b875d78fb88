"""What the kernel can be asked for over netlink, from a policy."""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, error, warning
from tcc.facts import Facts
from tcc.ir import Path, Policy, span_at
from tcc.lower.hanging import egress_state
from tcc.lower.link import LoweredQdisc, lower_policy
from tcc.netlink.namespace import Namespace
from tcc.plan.state import Difference, Item, State
from tcc.plugin import Target
from tcc_plugins.netlink import observing
from tcc_plugins.netlink.host import Host, changeable, differences


class Netlink:
    """The traffic control of a running kernel."""

    name = "netlink"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return the root qdiscs of the devices, and what cannot be had.

        Found: `not-built-yet`, `sysctl-left-alone`, and those of `lower_policy`.
        """
        lowered, found = lower_policy(policy, target.facts, target.spans)
        return egress_state(lowered), [*found, *_left_out(policy, lowered, target)]

    def observe(self, wanted: State) -> State:
        """Return what is there now in the namespace of this process."""
        with Host() as host:
            return host.observe(wanted)

    def recorded(self, facts: Facts, wanted: State) -> State:
        """Return what was there, in the places that `wanted` speaks of, when `facts` were taken."""
        return observing.of_facts(facts, {place.device for place in wanted})

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare two qdiscs in the kernel's own terms."""
        return differences(wanted, observed)

    def changeable(self, wanted: Item, observed: Item) -> bool:
        """Whether the kernel takes `observed` to `wanted` in place."""
        return changeable(wanted, observed)

    def open(self, namespace: Namespace | None) -> Host:
        """Return the kernel's traffic control in a namespace, to be closed; errors as `Host`."""
        return Host(namespace)


def _left_out(
    policy: Policy, lowered: Sequence[LoweredQdisc], target: Target
) -> Iterator[Diagnostic]:
    """Yield what this back end does not do, once for each place that asks for it."""
    reason = "it takes an ifb device and filters, which this back end does not make yet"
    seen: set[Path] = set()
    for one in lowered:
        path = one.wish.path
        if one.wish.direction == "ingress" and path not in seen:
            seen.add(path)
            yield _not_built(target, path, "shaping ingress", reason)
        for name, value in one.sysctls.items():
            yield warning(
                "sysctl-left-alone",
                one.wish.at("backpressure"),
                f"{name} is not set by this back end",
                f"set it once: sysctl -w {name}={value}",
            )
    tiers: list[Path] = [("tiers", index) for index in range(len(policy.tiers))]
    for number, link in enumerate(policy.links):
        tiers += [("links", number, "tiers", index) for index in range(len(link.tiers))]
    for path in tiers:
        reason = "it takes nftables rules that mark packets, which this back end does not make yet"
        yield _not_built(target, path, "matching packets for a tier", reason)


def _not_built(target: Target, path: Path, what: str, reason: str) -> Diagnostic:
    return error(
        "not-built-yet",
        span_at(target.spans, path),
        f"{what} is not built yet for the kernel (netlink)",
        reason,
        "until then take it out for this machine, or apply on OpenWrt with `tcc generate openwrt`",
    )
