"""Transactions on this machine's kernel: done, refused, put back."""

import errno
import os
import signal
import threading

import pytest

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.apply.transaction import Outcome, Transaction
from tcc.apply.undo import roll_back
from tcc.netlink.messages import RTM_NEWQDISC, Message
from tcc.netlink.namespace import Namespace
from tcc.netlink.objects import TCMSG
from tcc.netlink.transport import RouteSocket
from tcc.plan.diff import diff
from tcc.plan.operation import Verb
from tcc.plan.state import KERNELS_OWN, Place, QdiscItem
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.netlink import Host
from tcc_plugins.netlink import host as host_module
from tcc_plugins.pfifo import PfifoSettings
from tcc_plugins.tbf import TbfSettings

DEVICES = ("a0", "a1", "a2")


class World:
    """A namespace with three devices, its state directory, and doors to both."""

    def __init__(self, netns, state):
        self.inside, self.other = netns.new(), netns.new()
        for device in DEVICES:
            netns.link((self.inside, device), (self.other, f"{device}-far"))
        self.namespace = Namespace.named(self.inside.name)
        self.journal = Journal(state, identify(self.namespace))

    def tc(self, words):
        self.inside.run("tc", *words.split())

    def shown(self):
        return self.inside.run("tc", "-j", "qdisc", "show").stdout

    def apply(self, wanted, plan_first=None):
        with Host(self.namespace) as host:
            plan = plan_first or diff(host.observe(wanted), wanted, host)
            return Transaction(host, self.journal, "tcc apply test.tcc").run(plan)

    def roll_back(self):
        with Host(self.namespace) as host:
            return roll_back(host, self.journal, "tcc rollback")


@pytest.fixture
def world(netns, tmp_path):
    return World(netns, tmp_path / "state")


def tbf(rate=6_250_000, burst=20_000, limit=100_000):
    return QdiscItem("tbf", 1 << 16, TbfSettings(rate, limit, burst))


def shaped(*devices, rate=6_250_000, inner=None):
    wanted = {}
    for device in devices:
        wanted[Place(device, "root")] = tbf(rate)
        if inner is not None:
            wanted[Place(device, "1:1")] = inner
    return wanted


def codes(report):
    return [found.code for found in report.found]


def test_a_plan_becomes_fact_and_is_taken_back_to_the_byte(world):
    before = world.shown()
    report = world.apply(
        shaped(*DEVICES, inner=QdiscItem("bfifo", 0x10 << 16, BfifoSettings(9000)))
    )
    assert report.outcome is Outcome.DONE
    roots = world.inside.json("tc", "-j", "qdisc", "show", "dev", "a1")
    assert [(one["kind"], one["handle"]) for one in roots] == [("tbf", "1:"), ("bfifo", "10:")]
    assert roots[0]["options"]["rate"] == 6_250_000
    assert roots[1]["options"]["limit"] == 9000
    assert world.journal.unfinished() is None
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == before


def test_a_second_apply_sends_nothing(world, monkeypatch):
    sent = []

    class Counting(RouteSocket):
        def batch(self, messages, *rest, **named):
            messages = list(messages)
            sent.extend(messages)
            return super().batch(messages, *rest, **named)

    monkeypatch.setattr(host_module, "RouteSocket", Counting)
    assert world.apply(shaped(*DEVICES)).outcome is Outcome.DONE
    assert len(sent) == 3
    assert world.apply(shaped(*DEVICES)).outcome is Outcome.UNCHANGED
    assert len(sent) == 3


def test_a_change_in_place_keeps_packets_and_counters(world):
    world.apply(shaped("a0"))
    world.inside.run("ip", "address", "add", "192.0.2.1/24", "dev", "a0")
    world.inside.run("ping", "-c", "3", "-i", "0.01", "-W", "0.01", "192.0.2.2", check=False)
    (counted,) = world.inside.json("tc", "-j", "-s", "qdisc", "show", "dev", "a0", "root")
    assert counted["bytes"] > 0
    assert world.apply(shaped("a0", rate=1_250_000)).outcome is Outcome.DONE
    (after,) = world.inside.json("tc", "-j", "-s", "qdisc", "show", "dev", "a0", "root")
    assert after["bytes"] >= counted["bytes"]
    assert after["options"]["rate"] == 1_250_000


# What stood there before, made by tc; all of it has to come back to the byte.
BEFORE = {
    "nothing of anybody": [],
    "a foreign kind": ["qdisc add dev a1 root handle 1: pfifo limit 7"],
    "our kind, another handle": [
        "qdisc add dev a1 root handle 8: tbf rate 1mbit burst 3k limit 9k"
    ],
    "our kind and handle": ["qdisc add dev a1 root handle 1: tbf rate 1mbit burst 3k limit 9k"],
    "an inner one": [
        "qdisc add dev a1 root handle 5: tbf rate 9mbit burst 3k limit 9k",
        "qdisc add dev a1 parent 5:1 handle 50: pfifo limit 5",
    ],
    "an inner one that has our handle": [
        "qdisc add dev a1 root handle 5: tbf rate 9mbit burst 3k limit 9k",
        "qdisc add dev a1 parent 5:1 handle 1: pfifo limit 5",
    ],
    "a handle that the kernel gave": ["qdisc add dev a1 root bfifo limit 5000"],
    "a root that has no queue": ["qdisc replace dev a1 root noqueue"],
    "a peak and an overhead": [
        "qdisc add dev a1 root handle 1: tbf rate 9mbit burst 9k limit 99k "
        "peakrate 20mbit mtu 2k overhead 18 mpu 64 linklayer atm"
    ],
}
WANTED = {
    "tbf": shaped(*DEVICES),
    "tbf with another queue": shaped(
        *DEVICES, inner=QdiscItem("pfifo", 16 << 16, PfifoSettings(9))
    ),
    "bfifo": {
        Place(name, "root"): QdiscItem("bfifo", 1 << 16, BfifoSettings(9)) for name in DEVICES
    },
    "the kernel's own": {Place(name, "root"): KERNELS_OWN for name in DEVICES},
}


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("before", BEFORE)
def test_rollback_is_exact(world, before, wanted):
    for command in BEFORE[before]:
        world.tc(command)
    shown = world.shown()
    report = world.apply(WANTED[wanted])
    assert report.outcome in {Outcome.DONE, Outcome.UNCHANGED}
    if report.outcome is Outcome.DONE:
        assert world.shown() != shown
        assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == shown


def test_steps_back_go_through_the_history(world):
    shown = [world.shown()]
    for rate in (1_000_000, 2_000_000, 3_000_000):
        world.apply(shaped("a0", rate=rate))
        shown.append(world.shown())
    for expected in reversed(shown[:-1]):
        assert world.roll_back().outcome is Outcome.DONE
        assert world.shown() == expected
    assert codes(world.roll_back()) == ["nothing-to-roll-back"]


class Unpermitted(RouteSocket):
    """Makes one request one that the kernel really refuses: it is for no device."""

    at = 0
    seen = 0

    def batch(self, messages, *rest, **named):
        messages = list(messages)
        for index, message in enumerate(messages):
            if type(self).seen == type(self).at:
                family = TCMSG.pack(0, 0x7FFFFFFF, *TCMSG.unpack_from(message.body)[2:])
                messages[index] = Message(RTM_NEWQDISC, message.flags, family + message.body[20:])
            type(self).seen += 1
        return super().batch(messages, *rest, **named)


@pytest.mark.parametrize("before", ["nothing of anybody", "an inner one", "our kind and handle"])
def test_a_refusal_of_any_message_is_undone_at_once(world, monkeypatch, before):
    monkeypatch.setattr(host_module, "RouteSocket", Unpermitted)
    for command in BEFORE[before]:
        world.tc(command)
    shown = world.shown()
    wanted = WANTED["tbf with another queue"]
    tried = 0
    while True:
        Unpermitted.at, Unpermitted.seen = tried, 0
        report = world.apply(wanted)
        if report.outcome is Outcome.DONE:
            break
        assert report.outcome is Outcome.RESTORED
        assert codes(report) == ["kernel-refused"]
        assert world.shown() == shown, tried
        assert world.journal.unfinished() is None
        tried += 1
    assert tried >= 5


def test_a_device_that_vanishes_on_the_way(world, monkeypatch):
    class Vanishing(RouteSocket):
        def batch(self, messages, *rest, **named):
            world.inside.run("ip", "link", "delete", "a2", check=False)
            return super().batch(messages, *rest, **named)

    shown = world.inside.run("tc", "-j", "qdisc", "show", "dev", "a0").stdout
    monkeypatch.setattr(host_module, "RouteSocket", Vanishing)
    report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.RESTORED
    assert codes(report) == ["kernel-refused"]
    assert (
        os.strerror(errno.ENODEV) in report.found[0].message or "device" in report.found[0].message
    )
    assert world.inside.run("tc", "-j", "qdisc", "show", "dev", "a0").stdout == shown
    assert world.journal.unfinished() is None


def test_what_reads_back_otherwise_is_put_back(world, monkeypatch):
    class Meddling(RouteSocket):
        def batch(self, messages, *rest, **named):
            acks = super().batch(messages, *rest, **named)
            if not Meddling.done:
                Meddling.done = True
                world.tc("qdisc change dev a1 root handle 1: tbf rate 7mbit burst 9k limit 9k")
            return acks

    Meddling.done = False
    shown = world.shown()
    monkeypatch.setattr(host_module, "RouteSocket", Meddling)
    report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.RESTORED
    assert codes(report) == ["read-back-differs"]
    assert "rate is 7000000bit, not 50000000bit" in report.found[0].message
    assert world.shown() == shown


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_puts_everything_back(world, monkeypatch, number):
    class Signalled(RouteSocket):
        def batch(self, messages, *rest, **named):
            acks = super().batch(messages, *rest, **named)
            os.kill(os.getpid(), number)
            return acks

    shown = world.shown()
    handler = signal.getsignal(number)
    monkeypatch.setattr(host_module, "RouteSocket", Signalled)
    report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.RESTORED
    assert codes(report) == ["interrupted"]
    assert number.name in report.found[0].message
    assert world.shown() == shown
    assert signal.getsignal(number) is handler


def test_in_another_thread_it_works_as_well(world):
    reports = []
    worker = threading.Thread(target=lambda: reports.append(world.apply(shaped("a0"))))
    worker.start()
    worker.join()
    assert reports[0].outcome is Outcome.DONE


def test_a_plan_goes_stale(world):
    with Host(world.namespace) as host:
        plan = diff(host.observe(shaped("a0", "a1")), shaped("a0", "a1"), host)
    world.tc("qdisc add dev a1 root handle 3: pfifo limit 5")
    shown = world.shown()
    report = world.apply({}, plan)
    assert report.outcome is Outcome.REFUSED
    assert codes(report) == ["stale-plan"]
    assert "a1 (root) was noqueue (the kernel's own), is pfifo 3:" in report.found[0].hints
    assert world.shown() == shown


REFUSED = {
    "htb": (
        [
            "qdisc add dev a1 root handle 1: htb default 10",
            "class add dev a1 parent 1: classid 1:10 htb rate 5mbit",
            "class add dev a1 parent 1: classid 1:20 htb rate 6mbit",
            "filter add dev a1 parent 1: protocol ip u32 match ip dport 80 0xffff flowid 1:20",
        ],
        "htb 1: on a1 could not be put back: it holds 2 classes and filters",
    ),
    "a size table": (
        ["qdisc add dev a1 root handle 1: stab overhead 18 tbf rate 1mbit burst 3k limit 9k"],
        "a size table",
    ),
    "no such device": (["link-delete a1"], "there is no device a1 here"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_could_not_be_put_back_is_not_touched(world, case):
    commands, message = REFUSED[case]
    for command in commands:
        if command.startswith("link-delete"):
            world.inside.run("ip", "link", "delete", "a1")
        else:
            world.tc(command)
    shown = world.shown()
    report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.REFUSED
    code = "no-such-device" if case == "no such device" else "cannot-restore"
    assert codes(report) == [code]
    assert message in report.found[0].message
    assert report.found[0].hints
    assert world.shown() == shown
    assert world.journal.last() is None


def test_an_unfinished_change_stops_the_next_one_and_is_taken_back(world):
    shown = world.shown()
    with Host(world.namespace) as host:
        wanted = shaped(*DEVICES)
        plan = diff(host.observe(wanted), wanted, host)
        transaction = Transaction(host, world.journal, "tcc apply killed.tcc")
        with world.journal.held("test"):
            world.journal.begin(transaction._record(plan, plan.observed))
        list(host.perform(plan.operations[:2]))
    assert world.shown() != shown
    report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.REFUSED
    assert codes(report) == ["unfinished-change"]
    assert "tcc apply killed.tcc" in report.found[0].message
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == shown
    assert world.apply(shaped(*DEVICES)).outcome is Outcome.DONE


def test_rollback_says_what_somebody_else_changed_since(world):
    shown = world.shown()
    world.apply(shaped("a0"))
    world.tc("qdisc change dev a0 root handle 1: tbf rate 7mbit burst 9k limit 9k")
    report = world.roll_back()
    assert report.outcome is Outcome.DONE
    assert "a0 (root) had been changed by somebody else since" in report.notes
    assert world.shown() == shown


def test_rollback_does_not_destroy_what_somebody_else_built_since(world):
    world.apply(shaped("a0"))
    world.tc("qdisc replace dev a0 root handle 7: htb")
    shown = world.shown()
    report = world.roll_back()
    assert report.outcome is Outcome.REFUSED
    assert codes(report) == ["cannot-restore"]
    assert world.shown() == shown


def test_rollback_leaves_out_a_device_that_is_gone(world):
    shown = world.inside.run("tc", "-j", "qdisc", "show", "dev", "a0").stdout
    world.apply(shaped("a0", "a1"))
    world.inside.run("ip", "link", "delete", "a1")
    report = world.roll_back()
    assert report.outcome is Outcome.DONE
    assert "a1 is gone, and what hung on it" in report.notes
    assert world.inside.run("tc", "-j", "qdisc", "show", "dev", "a0").stdout == shown


def test_a_restore_that_fails_says_so_and_can_be_tried_again(world, monkeypatch):
    class Dead(RouteSocket):
        def batch(self, messages, *rest, **named):
            messages = list(messages)
            if Dead.calls:
                messages = [Message(one.type, one.flags, TCMSG.pack(0, 0x7FFFFFFF, 0, 0, 0))
                            for one in messages]  # fmt: skip
            Dead.calls += 1
            acks = super().batch(messages, *rest, **named)
            if Dead.calls == 1:
                world.tc("qdisc change dev a1 root handle 1: tbf rate 7mbit burst 9k limit 9k")
            return acks

    Dead.calls = 0
    shown = world.shown()
    with monkeypatch.context() as patch:
        patch.setattr(host_module, "RouteSocket", Dead)
        report = world.apply(shaped(*DEVICES))
    assert report.outcome is Outcome.STUCK
    assert codes(report) == ["read-back-differs", "restore-failed"]
    assert codes(world.apply(shaped(*DEVICES))) == ["unfinished-change"]
    assert world.roll_back().outcome is Outcome.DONE
    assert world.shown() == shown


def test_verbs_of_a_mixed_plan(world):
    world.tc("qdisc add dev a1 root handle 1: pfifo limit 7")
    world.tc("qdisc add dev a2 root handle 1: tbf rate 7mbit burst 9k limit 9k")
    with Host(world.namespace) as host:
        plan = diff(host.observe(shaped(*DEVICES)), shaped(*DEVICES), host)
    assert [step.verb for step in plan.operations] == [Verb.ADD, Verb.REPLACE, Verb.CHANGE]
