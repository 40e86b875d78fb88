"""Marks that a router's other link clears before packets come to this one."""

from tcc.ir import Link, Policy


def washing_link(policy: Policy, link: Link) -> Link | None:
    """Return the link by whose ingress uploads reach `link` without their DSCP.

    On a router packets that leave by a link towards the Internet come in by one that faces the
    hosts, and the other way round. CAKE with `wash` clears a DSCP as it hands a packet on
    (cake_dequeue() in net/sched/sch_cake.c), so a later qdisc finds none.
    """
    if link.role is None or link.role.kind != "router":
        return None
    for other in policy.links:
        opposite = other.role is not None and other.role.facing_hosts != link.role.facing_hosts
        if other is not link and opposite and other.ingress and other.ingress.dscp == "wash":
            return other
    return None
