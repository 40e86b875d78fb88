"""A host as a state machine: random policies, random outside changes, random failures.

What has to hold whatever happens: a change is there whole or not at all; `plan` is empty after
`apply`; `rollback` brings back, to the byte, what `tc -j qdisc show` showed.
"""

import contextlib
import io
import json
import os
import re
import shutil
import signal
import tempfile
from collections import Counter
from pathlib import Path
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.cli.main import run
from tcc.netlink.namespace import Namespace
from testkernel.netns import Namespaces
from tests import strategies
from tests.apply.confirm_world import until
from tests.apply.faults import Dying, Refusing, transport

DEVICES = ("a0", "a1", "a2")
DONE, REFUSED, RESTORED = 0, 1, 3
NEVER = 10**9

rates = st.integers(64, 900_000).map("bandwidth {}kbit".format)
sides = st.lists(st.sampled_from(["egress", "ingress"]), min_size=1, unique=True)


@st.composite
def policies_of(draw, shaped):
    """Policies for some of the devices, each side shaped in one of some ways."""
    devices = draw(st.lists(st.sampled_from(DEVICES), min_size=1, unique=True))
    blocks = []
    for device in devices:
        both = "".join(f"    {side} {{ {draw(shaped)} }}\n" for side in draw(sides))
        blocks.append(f'link l-{device} {{\n    device "{device}"\n{both}}}\n')
    return "".join(blocks)


possible = st.builds(
    "qdisc tbf {{ {}; {}{} }}".format,
    st.sampled_from(["burst auto", "burst 10KiB", "burst 70KB"]),
    st.sampled_from(["latency 50ms", "limit 300KB"]),
    st.sampled_from(["", "; inner bfifo", "; inner pfifo { limit 70 }"]),
)
with_tbf = st.builds(
    "{}; {}".format, rates, st.sampled_from(range(8)).flatmap(
        lambda one: possible if one else strategies.tbf_options()
    ),
)  # fmt: skip
OUTSIDE = (
    "tc qdisc replace dev {} root handle 77: pfifo limit 7",
    "tc qdisc replace dev {} root tbf rate 3mbit burst 5k limit 9k",
    "tc qdisc replace dev {} root handle 1: tbf rate 2mbit burst 4k limit 8k",
    "tc qdisc replace dev {} root handle 9: htb default 1",
    "tc qdisc delete dev {} root",
    "tc qdisc delete dev {} ingress",
    "ip link delete ifb-{}",
)
requests = st.one_of(st.integers(0, 2), st.integers(0, 8))
"""Which request fails: small changes have few."""
drawn_policies = st.runner().flatmap(lambda hosts: policies_of(hosts.shaped))
drawn_acts = st.runner().flatmap(lambda hosts: st.sampled_from(hosts.outside))


class Hosts(RuleBasedStateMachine):
    """tcc and somebody else at work on one host; the model is what was seen before each change.

    What is drawn does not depend on what happened: a rule that cannot be followed does nothing.
    """

    shaped = with_tbf
    """How a side may be shaped: what a kernel with no more than tbf can have, or not."""
    outside = OUTSIDE
    """What somebody else does to a device."""
    ended: ClassVar[Counter[str]] = Counter()
    """How often something happened, over all runs."""

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="tcc-stateful-"))
        self.namespaces = Namespaces()
        self.here = self.namespaces.new()
        for device in DEVICES:
            self.make(device)
        os.environ["TCC_STATE_DIR"] = str(self.folder / "state")
        self.journal = Journal(self.folder / "state", identify(Namespace.named(self.here.name)))
        self.before = []
        """What was seen before each change that can be taken back."""
        self.exact = []
        """Whether nobody else has acted since; somebody else's devices are not ours to restore."""
        self.half = None
        """What was seen before the change that did not finish; None when all did."""

    def teardown(self):
        try:
            if self.half is not None:
                self.rollback_of_a_half_done_change()
            while self.before and self.step_back():
                pass
        finally:
            self.tidy()

    def tidy(self):
        self.namespaces.remove()
        shutil.rmtree(self.folder)
        del os.environ["TCC_STATE_DIR"]

    def make(self, device):
        far = f"{device}-far"
        add = f"ip link add {device} numtxqueues 4 type veth peer name {far}"
        self.here.run("sh", "-ec", f"{add}; ip link set {far} up; ip link set {device} up")
        self.wait_for(device)

    def wait_for(self, device):
        """Wait until the kernel has brought a pair up: it attaches the default qdiscs later."""
        pair = {device, f"{device}-far"}

        def is_up():
            links = self.here.json("ip", "-j", "link", "show")
            return pair <= {one["ifname"] for one in links if one["operstate"] == "UP"}

        assert until(is_up)

    def seen(self):
        """What `tc -j qdisc show` shows, but for the one counter in it (htb's); devices by name.

        tc lists them by number, and a device that is made again has a new one.
        """
        shown = self.here.run("tc", "-j", "qdisc", "show").stdout
        shown = re.sub(r'"direct_packets_stat":\d+', '"direct_packets_stat":0', shown)
        # as pairs, since tc says some keys twice
        found = json.loads(shown, object_pairs_hook=tuple)
        return sorted(map(repr, found), key=lambda one: one.partition("'dev'")[2].split(",")[1])

    def tcc(self, *words):
        """Run tcc; return its exit code and what it printed."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = run([*words, "--netns", self.here.name], "tcc")
        assert "internal error" not in out.getvalue(), out.getvalue()
        return status, out.getvalue()

    def write(self, policy):
        path = self.folder / "test.tcc"
        path.write_text(policy)
        return str(path)

    def count(self, what):
        Hosts.ended[what] += 1

    def changed(self, before, steps_before):
        """Note a change, where the history says that there was one."""
        if len(self.journal.steps()) > steps_before or steps_before == 20:
            self.before.append(before)
            self.exact.append(True)

    def settled(self, status, said, before, steps_before):
        """An apply has ended by itself: in the new state, or in the old one."""
        if status == DONE:
            self.changed(before, steps_before)
        else:
            assert status in {REFUSED, RESTORED}, said
            assert self.seen() == before, said

    # ---- tcc at work

    @initialize(policy=drawn_policies)
    def first(self, policy):
        self.apply(policy)

    @rule(policy=drawn_policies)
    def apply(self, policy):
        if self.half is not None:
            return
        path = self.write(policy)
        before, known = self.seen(), len(self.journal.steps())
        status, said = self.tcc("apply", path, "--yes")
        if status == DONE:
            empty, planned = self.tcc("plan", path, "--detailed-exitcode")
            assert empty == 0, planned
        self.settled(status, said, before, known)
        self.count(f"apply: exit {status}")

    @rule(policy=drawn_policies, number=requests)
    def apply_with_a_request_refused(self, policy, number):
        if self.half is not None:
            return
        path = self.write(policy)
        before, known = self.seen(), len(self.journal.steps())
        Refusing.at, Refusing.seen = number, 0
        with transport(Refusing):
            status, said = self.tcc("apply", path, "--yes")
        if status == DONE:
            assert Refusing.seen <= number
        self.settled(status, said, before, known)
        self.count(f"apply, a request refused: exit {status}")

    @rule(policy=drawn_policies, number=requests)
    def apply_that_is_killed(self, policy, number):
        if self.half is not None:
            return
        path = self.write(policy)
        before, known = self.seen(), len(self.journal.steps())
        status = self.killed(number, "apply", path, "--yes")
        if status != -signal.SIGKILL:
            assert status in {DONE, REFUSED}
            if status == DONE:
                self.changed(before, known)
            else:
                assert self.seen() == before
        elif self.journal.unfinished() is None:
            assert self.seen() == before
        else:
            self.half = before
        self.count(f"apply, to be killed: exit {status}")

    @rule(policy=drawn_policies)
    def apply_onto_a_half_done_change(self, policy):
        if self.half is None:
            return
        before = self.seen()
        status, said = self.tcc("apply", self.write(policy), "--yes")
        assert status == REFUSED, said
        assert self.seen() == before

    @rule()
    def rollback_of_a_half_done_change(self):
        if self.half is None:
            return
        status, said = self.tcc("rollback")
        assert status == DONE, said
        assert self.seen() == self.half
        self.half = None
        self.count("rollback of a killed apply")

    @rule(steps=st.integers(1, 3), spoiled=st.one_of(st.just(NEVER), st.integers(0, 5)))
    def rollback(self, steps, spoiled):
        """Go back, even where a request is refused once on the way."""
        if self.half is not None or not self.before:
            return
        Refusing.at, Refusing.seen = spoiled, 0
        with transport(Refusing):
            self.step_back(steps)

    def step_back(self, steps=1):
        """Go back; return whether that was possible."""
        now = self.seen()
        status, said = self.tcc("rollback", "--steps", str(steps))
        if status == REFUSED:
            assert "cannot-restore" in said, said
            assert self.seen() == now, said
        else:
            assert status == DONE, said
            steps = min(steps, len(self.before))
            if all(self.exact[-steps:]):
                assert self.seen() == self.before[-steps], said
            del self.before[-steps:], self.exact[-steps:]
        assert len(self.before) == len(self.journal.steps())
        self.count(f"rollback: exit {status}")
        return status == DONE

    @rule()
    def remove(self):
        if self.half is not None or not self.before:
            return
        before, known = self.seen(), len(self.journal.steps())
        status, said = self.tcc("remove", "--yes")
        if status == DONE:
            self.changed(before, known)
        else:
            assert status == REFUSED, said
            assert self.seen() == before
        self.count(f"remove: exit {status}")

    @rule(policy=drawn_policies)
    def plan(self, policy):
        before = self.seen()
        status, said = self.tcc("plan", self.write(policy))
        assert status in {0, 1}, said
        assert self.seen() == before

    # ---- somebody else at work

    @rule(device=st.sampled_from(DEVICES), act=drawn_acts)
    def somebody_else_acts(self, device, act):
        if self.half is not None:
            return
        self.here.run(*act.format(device).split(), check=False)
        self.exact = [False] * len(self.exact)
        self.count("somebody else's change")

    @rule(device=st.sampled_from(DEVICES), again=st.booleans())
    def device_goes_and_comes(self, device, again):
        if self.half is not None:
            return
        if again:
            self.here.run("ip", "link", "delete", device)
            self.make(device)
        else:
            self.here.run("ip", "link", "set", device, "down")
            self.here.run("ip", "link", "set", device, "up")
            self.wait_for(device)
        self.exact = [False] * len(self.exact)
        self.count("a device made anew" if again else "a device down and up")

    @invariant()
    def every_device_has_one_root(self):
        found = self.here.json("tc", "-j", "qdisc", "show")
        roots = Counter(one["dev"] for one in found if one.get("root"))
        assert all(roots[device] == 1 for device in DEVICES)

    @invariant()
    def what_did_not_finish_is_known(self):
        assert (self.journal.unfinished() is not None) is (self.half is not None)

    def killed(self, number, *words):
        """Run tcc in a process that dies before its request `number`; return how it ended."""
        child = os.fork()
        if child == 0:
            Dying.at, Dying.seen = number, 0
            with transport(Dying):
                os._exit(self.tcc(*words)[0])
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
