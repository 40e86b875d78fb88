"""User-Mode Linux itself: time is simulated, runs repeat byte for byte."""

import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from testkernel import host, machine
from testkernel.guest import Job

pytestmark = pytest.mark.uml
TRAFFIC = Path(__file__).with_name("guest_traffic.sh")
CLOCK = """
import time
start = time.monotonic_ns()
time.sleep(30)
print(time.monotonic_ns() - start)
start = time.monotonic_ns()
sum(range(3_000_000))
print(time.monotonic_ns() - start)
"""


@pytest.fixture
def uml():
    """A User-Mode Linux; no stock kernel can stand in for it here."""
    try:
        return machine.uml_machine()
    except host.UnavailableError as problem:
        pytest.fail(str(problem), pytrace=False)


def test_sleeping_takes_exactly_as_long_as_asked_and_computing_no_time(uml):
    started = time.monotonic()
    done = machine.run(Job(["python3", "-c", CLOCK]), uml)
    slept, computed = map(int, done.stdout.split())
    assert 30_000_000_000 <= slept < 30_010_000_000
    assert computed < 1_000_000
    assert time.monotonic() - started < 20


def test_two_runs_are_byte_identical(uml):
    first, second = (machine.run(Job(["bash", str(TRAFFIC)]), uml) for _ in range(2))
    assert first.status == 0, first.stderr
    assert "10 packets transmitted, 10 received" in first.stdout
    assert re.search(r"Sent \d+ bytes 1\d pkt", first.stdout), first.stdout
    assert first == second


def test_another_seed_gives_other_random_numbers(uml):
    """The comparison above could fail: randomness does reach what the guest prints."""
    job = Job(["od", "-An", "-tx1", "-N16", "/dev/urandom"])
    outputs = [machine.run(job, replace(uml, seed=seed)).stdout for seed in (1, 1, 2)]
    assert outputs[0] == outputs[1] != outputs[2]
