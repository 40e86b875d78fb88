"""The same host on a kernel that has CAKE: policies with cake and cake_mq, and meddling."""

from hypothesis import strategies as st

from tests import strategies
from tests.apply.stateful_world import OUTSIDE, Hosts, rates, with_tbf

_CLAUSES = {
    word: strategies.SHAPING[word]
    for word in ("tiers", "fairness", "rtt", "ack-filter", "dscp", "memory")
} | {
    "qdisc": st.sampled_from(["qdisc cake", "qdisc cake", "qdisc cake_mq", "qdisc auto"]),
    "gso": st.sampled_from(["gso split", "gso keep", "gso auto"]),
}


@st.composite
def with_cake(draw):
    """A rate, now and then none, and some clauses that CAKE can carry out."""
    rate = draw(st.one_of(rates, rates, st.just("bandwidth unlimited")))
    chosen = draw(st.lists(st.sampled_from(sorted(_CLAUSES)), unique=True, max_size=4))
    return "; ".join([rate, *(draw(_CLAUSES[word]) for word in chosen)])


class CakeHosts(Hosts):
    """`ended` also counts the qdiscs that applies left, by kind."""

    shaped = st.one_of(with_cake(), with_cake(), with_cake(), with_tbf)
    outside = (
        *OUTSIDE,
        "tc qdisc replace dev {} root cake bandwidth 3mbit besteffort",
        "tc qdisc change dev {} root cake bandwidth 7mbit nat",
        "tc qdisc change dev ifb-{} root cake bandwidth 5mbit",
        "tc qdisc replace dev {} root handle 1: cake_mq bandwidth 1gbit",
        "tc qdisc replace dev {} root fq_codel limit 300",
    )

    def settled(self, status, said, before, steps_before):
        super().settled(status, said, before, steps_before)
        if status == 0:
            for one in self.here.json("tc", "-j", "qdisc", "show"):
                self.count(f"left: {one['kind']}")
