"""`qdisc auto` is a pure function of policy and facts, and says why it chose."""

import pytest

from tcc.facts import DeviceFacts, Facts
from tcc.ir import Backpressure, Bandwidth, Device, Link, Role, Shaping
from tcc.lower import choose
from tcc.plugin import Wish

ALL = ("cake", "cake_mq", "tbf", "fq_codel", "sfq")


def wish(kinds=ALL, queues=4, rate=2_200_000_000, speed=None, **more) -> Wish:
    direction = more.pop("direction", "egress")
    bandwidth = Bandwidth(rate=rate, **more.pop("bounds", {})) if rate else None
    shaping = Shaping(bandwidth=bandwidth, **more)
    link = Link(
        name="wan", device=Device(name="eth0"), role=Role(kind="host"), **{direction: shaping}
    )
    device = DeviceFacts(name="eth0", tx_queues=queues, speed=speed)
    facts = None if kinds is None else Facts(qdiscs=kinds, devices=(device,))
    return Wish(link, direction, shaping, (), device, facts, ("links", 0, direction))


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (wish(), "cake_mq"),
        (wish(kinds=None), "cake"),
        (wish(kinds=()), "cake"),
        (wish(queues=1), "cake"),
        (wish(kinds=("cake", "tbf")), "cake"),
        (wish(direction="ingress"), "cake"),
        (wish(rate=1_000_000_000), "cake"),
        (wish(rate=1_000_000_001), "cake_mq"),
        (wish(rate="unlimited"), "cake_mq"),
        (wish(rate=None), "cake_mq"),
        (wish(rate="unlimited", speed=1_000_000_000), "cake"),
        (wish(rate="unlimited", speed=10_000_000_000), "cake_mq"),
        (wish(bounds={"minimum": 10**9, "maximum": 3 * 10**9}), "cake"),
        (wish(kinds=("tbf", "sfq")), "tbf"),
        (wish(kinds=("tbf", "sfq"), rate=None), None),
        (wish(kinds=("tbf", "sfq"), rate="unlimited"), None),
        (wish(kinds=("pfifo_fast",)), None),
        (wish(backpressure=Backpressure(senders=16)), "tbf"),
        (wish(kinds=None, backpressure=Backpressure(senders=16)), "tbf"),
        (wish(backpressure=Backpressure(senders=16), prefer=("backpressure",)), "cake_mq"),
        (wish(backpressure=Backpressure(senders=16), rate=None), "cake_mq"),
        (wish(kinds=("cake",), backpressure=Backpressure(senders=16)), "cake"),
    ],
)
def test_choice(given, kind):
    choice = choose(given)
    assert choice.kind == kind
    assert choice.reason


def test_reason_names_the_numbers():
    assert choose(wish()).reason == (
        "eth0 has 4 transmit queues, and 2.2gbit is more than the 1gbit of one core"
    )
