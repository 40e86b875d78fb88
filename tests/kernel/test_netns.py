"""Network namespaces for tests: joined, usable, and gone afterwards, they alone."""

import subprocess

import pytest

from testkernel.netns import namespaces

pytestmark = pytest.mark.kernel


def names() -> set[str]:
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
    return {line.split()[0] for line in listed.stdout.splitlines()}


def test_two_namespaces_reach_each_other_through_a_shaper(netns):
    left, right = netns.new(), netns.new()
    netns.link((left, "a0"), (right, "b0"))
    left.run("ip", "address", "add", "10.0.0.1/24", "dev", "a0")
    right.run("ip", "address", "add", "10.0.0.2/24", "dev", "b0")
    left.run("tc", "qdisc", "add", "dev", "a0", "root", "tbf",
             "rate", "10mbit", "burst", "5kb", "latency", "50ms")  # fmt: skip
    assert "1 received" in left.run("ping", "-c", "1", "10.0.0.2").stdout
    [root] = left.json("tc", "-j", "-s", "qdisc", "show", "dev", "a0")
    assert root["kind"] == "tbf"
    assert root["packets"] > 0


def test_a_command_that_fails_shows_what_it_said(netns):
    with pytest.raises(subprocess.CalledProcessError) as caught:
        netns.new().run("ip", "link", "show", "nosuch")
    assert "nosuch" in caught.value.stderr


def test_exactly_the_namespaces_made_are_removed():
    with namespaces() as others, namespaces() as mine:
        kept, gone = others.new().name, mine.new().name
        assert {kept, gone} <= names()
        mine.remove()
        assert kept in names()
        assert gone not in names()
    assert kept not in names()


def test_they_are_removed_when_a_test_fails():
    seen = []

    def failing_test():
        with namespaces() as mine:
            seen.append(mine.new().name)
            raise AssertionError

    with pytest.raises(AssertionError):
        failing_test()
    assert len(seen) == 1
    assert not set(seen) & names()
