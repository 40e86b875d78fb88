"""Whose turn it is in the recorded guest: the fair scheduler's rule, against traced guests."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.experiments.turns import TICK, Processor, Task

DATA = Path(__file__).parents[1] / "data"
RUNS = json.loads(gzip.decompress((DATA / "kernel-turns.json.gz").read_bytes()))["runs"]
SWITCHES = {"r", "s", "x"}


def step(processor: Processor, tasks: dict[int, Task], kind: str, number: int) -> None:
    """Let the processor see one event of a trace."""
    if kind == "t":
        processor.tick(number * TICK)
    elif kind == "n":
        tasks[number] = Task(str(number))
        processor.fork(tasks[number])
    elif kind == "w":
        processor.wake(tasks.setdefault(number, Task(str(number))))
    elif kind == "r":
        processor.switch()
    else:
        processor.sleep(ends=kind == "x")


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['rtt_ms']}ms-{run['slept_us']}us")
def test_each_turn_goes_to_whom_the_kernel_gave_it(run):
    processor, tasks = Processor(), {}
    switches = preempted = 0
    for place, event in enumerate(run["events"].split()):
        kind, number = event[0], int(event[1:])
        if kind == "r" and processor.current is not None:
            assert processor.due, f"event {place}: {event} takes a turn that is not over"
            preempted += 1
        step(processor, tasks, kind, number)
        if kind in SWITCHES:
            switches += 1
            running = processor.current
            assert (int(running.name) if running else 0) == number, f"event {place}: {event}"
    assert switches > 1000
    assert preempted > 30


def test_four_that_poll_take_turns_of_a_tick():
    processor = Processor()
    for number in range(4):
        processor.wake(Task(str(number)))
    processor.switch()
    order = ""
    for _ in range(12):
        order += processor.current.name
        processor.tick()
        assert processor.due
        processor.switch()
    assert order == "012301230123"
