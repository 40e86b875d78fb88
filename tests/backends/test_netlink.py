"""The netlink back end, as far as it needs no kernel."""

import pytest

from tcc import api, plugin
from tcc.diagnostics import Severity
from tcc.facts import DeviceFacts, Facts, QdiscFacts
from tcc.lower.ifb import ifb_name
from tcc.plan.diff import diff
from tcc.plan.state import NOTHING, FilterItem, HookItem, LinkItem, Place, QdiscItem
from tcc.source import Source

ROOT = Place("eth0", "root")
POLICY = 'link wan { device "eth0"; egress { bandwidth 50mbit; qdisc tbf { inner bfifo } } }\n'


def lowered(policy, facts=None):
    built = api.load(Source("test.tcc", policy))
    assert built.policy, built.found
    return api.lower(built, "netlink", facts)


def test_a_root_and_what_hangs_in_it():
    state, found = lowered(POLICY)
    assert not [one for one in found if one.severity is Severity.ERROR]
    assert [(place, item.kind, item.handle) for place, item in state.items()] == [
        (ROOT, "tbf", 0x10000),
        (Place("eth0", "1:1"), "bfifo", 0x100000),
    ]
    assert all(item.path == ("links", 0, "egress") for item in state.values())


INGRESS = 'link x { device "eth1"; ingress { bandwidth 9mbit; qdisc tbf { inner bfifo } } }\n'


def errors_of(found):
    return [one for one in found if one.severity is Severity.ERROR]


def test_ingress_is_a_device_with_a_root_a_hook_and_a_filter():
    state, found = lowered(INGRESS)
    assert not errors_of(found)
    tbf, bfifo = (item for item in state.values() if isinstance(item, QdiscItem))
    assert (tbf.kind, bfifo.kind) == ("tbf", "bfifo")
    path = ("links", 0, "ingress")
    assert state == {
        Place("ifb-eth1", "link"): LinkItem("ifb", up=True, tx_queues=1, path=path),
        Place("ifb-eth1", "root"): tbf,
        Place("ifb-eth1", "1:1"): bfifo,
        Place("eth1", "ingress"): HookItem("clsact", path=path),
        Place("eth1", "redirect"): FilterItem("matchall", None, "ifb-eth1", path=path),
    }


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        (("matchall", "u32"), "matchall"),
        (("bpf", "u32"), "u32"),
        (("bpf", "flower"), "bpf"),
    ],
)
def test_the_best_filter_that_the_kernel_has(known, kind):
    facts = Facts(devices=(DeviceFacts(name="eth1"),), filters=known, actions=("mirred",))
    assert lowered(INGRESS, facts)[0][Place("eth1", "redirect")].kind == kind


@pytest.mark.parametrize("kind", ["ingress", "clsact"])
def test_a_hook_that_is_there_is_used(kind):
    hook = QdiscFacts(kind=kind, handle="ffff:", parent=kind)
    facts = Facts(devices=(DeviceFacts(name="eth1", qdiscs=(hook,)),))
    assert lowered(INGRESS, facts)[0][Place("eth1", "ingress")].kind == kind


def test_without_clsact_it_is_ingress():
    facts = Facts(devices=(DeviceFacts(name="eth1"),), qdiscs=("tbf", "bfifo", "ingress"))
    assert lowered(INGRESS, facts)[0][Place("eth1", "ingress")].kind == "ingress"


@pytest.mark.parametrize(
    ("lacking", "said"),
    [
        ({"links": ("veth",)}, "ifb"),
        ({"filters": ("flower",), "actions": ("mirred",)}, "matchall, u32, bpf"),
        ({"actions": ("gact",)}, "mirred"),
        ({"qdiscs": ("tbf", "bfifo")}, "clsact"),
    ],
)
def test_what_the_kernel_lacks_is_an_error_at_ingress(lacking, said):
    state, found = lowered(INGRESS, Facts(devices=(DeviceFacts(name="eth1"),), **lacking))
    (one,) = errors_of(found)
    assert one.code == "ingress-unavailable"
    assert INGRESS[one.span.start : one.span.end] == "ingress"
    assert said in one.message
    assert not state


def test_two_devices_that_would_share_an_ifb_are_an_error():
    # ifb_name() of the long name, given to a device that is short enough to keep its own
    twin = ifb_name("enxa0cec812eb2b").removeprefix("ifb-")
    policy = INGRESS.replace("eth1", "enxa0cec812eb2b") + INGRESS.replace("eth1", twin).replace(
        "link x", "link y"
    )
    assert [one.code for one in errors_of(lowered(policy)[1])] == ["ifb-name-taken"]


CAKE_MQ = 'link wan { device "eth0"; egress { bandwidth 2gbit; tiers diffserv4; qdisc cake_mq } }\n'


def test_plain_priorities_are_cleared_before_a_cake_mq():
    # CAKE specification section 3.4: verified cure of the handle-0 trap
    state, found = lowered(CAKE_MQ)
    place = Place("eth0", "priority")
    assert state[place]._replace(path=()) == FilterItem("matchall", clears_priority=True)
    assert state[Place("eth0", "ingress")].kind == "clsact"
    assert "cake-mq-priority" not in [one.code for one in found]


@pytest.mark.parametrize(
    "facts",
    [
        {"actions": ("mirred",), "filters": ("u32",)},
        {"hook": "ingress"},
    ],
)
def test_where_they_cannot_be_cleared_the_warning_stands(facts):
    hook = facts.pop("hook", None)
    hanging = (QdiscFacts(kind=hook, handle="ffff:", parent=hook),) if hook else ()
    eth0 = DeviceFacts(name="eth0", tx_queues=4, qdiscs=hanging)
    state, found = lowered(CAKE_MQ, Facts(devices=(eth0,), **facts))
    assert Place("eth0", "priority") not in state
    assert "cake-mq-priority" in [one.code for one in found]


def test_with_one_tin_there_is_nothing_to_clear():
    state, _ = lowered(CAKE_MQ.replace("diffserv4", "besteffort"))
    assert list(state) == [ROOT]


def test_a_sysctl_is_left_to_the_machines_owner():
    facts = Facts(
        devices=(DeviceFacts(name="eth0"),),
        sysctls={"net.ipv4.udp_backpressure_interval": "100"},
    )
    policy = """
    link up {
        device "eth0"
        role host
        egress { bandwidth 500mbit; qdisc tbf { inner sfq }; backpressure udp { interval 50ms } }
    }
    """
    (one,) = [one for one in lowered(policy, facts)[1] if one.code == "sysctl-left-alone"]
    assert "sysctl -w net.ipv4.udp_backpressure_interval=50" in one.hints[0]


def test_what_facts_recorded_is_compared_like_a_kernel():
    state, _ = lowered(POLICY)
    back_end = plugin.backend("netlink")
    root, inner = state.values()
    options = [plugin.qdisc(item.kind).netlink(item.settings).hex() for item in (root, inner)]
    device = DeviceFacts(
        name="eth0",
        qdiscs=(
            QdiscFacts(kind="tbf", handle="1:", parent="root", options=options[0]),
            QdiscFacts(kind="bfifo", handle="10:", parent="1:1", options=options[1]),
            QdiscFacts(kind="clsact", handle="ffff:", parent="clsact"),
        ),
    )
    observed = back_end.recorded(Facts(devices=(device,)), state)
    assert set(observed) == {ROOT, Place("eth0", "1:1")}
    assert not diff(observed, state, back_end)


def test_facts_without_qdiscs_are_a_device_that_has_the_kernels_own():
    state, _ = lowered(POLICY)
    back_end = plugin.backend("netlink")
    observed = back_end.recorded(Facts(devices=(DeviceFacts(name="eth0"),)), state)
    assert observed[ROOT] == QdiscItem("", 0, default=True)
    assert not back_end.recorded(Facts(), state)


def test_facts_know_devices_and_hooks_but_no_filters():
    state, _ = lowered(INGRESS)
    back_end = plugin.backend("netlink")
    hook = QdiscFacts(kind="clsact", handle="ffff:", parent="clsact")
    devices = (
        DeviceFacts(name="eth1", qdiscs=(hook,)),
        DeviceFacts(name="ifb-eth1", kind="ifb", up=False, index=7, tx_queues=2),
    )
    observed = back_end.recorded(Facts(devices=devices), state)
    assert observed[Place("ifb-eth1", "link")] == LinkItem("ifb", up=False, tx_queues=2, number=7)
    assert observed[Place("eth1", "ingress")] == HookItem("clsact")
    assert observed[Place("eth1", "redirect")] == NOTHING
    assert Place("eth1", "root") not in observed
    verbs = [
        (step.verb.value, step.place.at) for step in diff(observed, state, back_end).operations
    ]
    assert verbs == [("change", "link"), ("add", "root"), ("add", "1:1"), ("add", "redirect")]
