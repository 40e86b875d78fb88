"""A namespace whose ingress is shaped, another one that sends, and what both see."""

import json
import os
import signal

from tcc import api
from tcc.apply.identity import identify
from tcc.apply.journal import Journal
from tcc.apply.transaction import Transaction
from tcc.apply.undo import roll_back
from tcc.facts.gather import gather
from tcc.netlink.namespace import Namespace
from tcc.plan.diff import diff
from tcc.source import Source
from tcc_plugins.netlink import Host
from tests.apply.faults import Dying, transport

POLICY = """
link wan {{
    device "{0}"
    egress {{ bandwidth 30mbit; qdisc tbf {{ inner bfifo }} }}
    ingress {{ bandwidth 20mbit; qdisc tbf {{ inner bfifo }} }}
}}
"""


class World:
    """`here` has the devices, each with IPv4 and IPv6, and `there` their other ends."""

    def __init__(self, netns, state, devices=("wan",)):
        self.here, self.there = netns.new(), netns.new()
        for number, device in enumerate(devices):
            netns.link((self.here, device), (self.there, f"far{number}"))
            for space, name, end in ((self.here, device, 1), (self.there, f"far{number}", 2)):
                space.run("ip", "address", "add", f"10.8.{number}.{end}/24", "dev", name)
                six = f"fd00:{number}::{end}/64"
                space.run("ip", "address", "add", six, "dev", name, "nodad")
        self.namespace = Namespace.named(self.here.name)
        self.journal = Journal(state, identify(self.namespace))

    def wanted(self, policy):
        """What a policy wants here, without a finding worse than a note."""
        built = api.load(Source("test.tcc", policy))
        assert built.policy, built.found
        state, found = api.lower(built, "netlink", gather(self.namespace).facts)
        assert not [one for one in found if one.severity.name == "ERROR"], found
        return state

    def plan(self, policy):
        wanted = self.wanted(policy)
        with Host(self.namespace) as host:
            plan = diff(host.observe(wanted), wanted, host)
            return plan, host.obstacles(plan)

    def apply(self, policy):
        wanted = self.wanted(policy)
        with Host(self.namespace) as host:
            plan = diff(host.observe(wanted), wanted, host)
            return Transaction(host, self.journal, "tcc apply test.tcc").run(plan)

    def killed(self, policy, at):
        """Apply in a process that is killed before its request `at`; whether it was."""
        child = os.fork()
        if child == 0:
            Dying.at, Dying.seen = at, 0
            with transport(Dying):
                self.apply(policy)
            os._exit(0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL

    def roll_back(self):
        with Host(self.namespace) as host:
            return roll_back(host, self.journal, "tcc rollback")

    def tc(self, words):
        self.here.run("tc", *words.split())

    def ip(self, words):
        self.here.run("ip", *words.split())

    def shown(self):
        """All that can be seen of devices, qdiscs and filters, but for counters."""
        links = self.here.json("ip", "-j", "link")
        filters = [
            self.here.run("tc", "filter", "show", "dev", link["ifname"], side).stdout
            for link in links
            for side in ("ingress", "egress")
            if link["ifname"] != "lo"
        ]
        return {
            "links": json.dumps(links),
            "qdiscs": self.here.run("tc", "-j", "qdisc", "show").stdout,
            "filters": [without_counts(text) for text in filters],
        }

    def reached(self, number=0, version=4):
        """Whether a packet from there gets an answer."""
        to = f"10.8.{number}.1" if version == 4 else f"fd00:{number}::1"
        words = ["ping", f"-{version}", "-c", "1", "-W", "1", to]
        return self.there.run(*words, check=False).returncode == 0

    def sent(self, device):
        """Packets that the root qdisc of a device has sent."""
        return self.here.json("tc", "-s", "-j", "qdisc", "show", "dev", device, "root")[0][
            "packets"
        ]


def without_counts(text):
    """What `tc filter show` prints, without the numbers of actions, which count up."""
    return "\n".join(line for line in text.splitlines() if not line.strip().startswith("index "))


def codes(report):
    return [found.code for found in report.found]
