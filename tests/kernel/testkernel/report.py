"""Run a test module's guest script once and hand its tests the JSON document it prints."""

import json
import sys
from pathlib import Path
from typing import Any

from testkernel.guest import TIMED_OUT, Job
from testkernel.machine import Finished, Machine, run

INTERPRETERS = {".py": sys.executable, ".sh": "bash"}


class GuestScriptError(Exception):
    """The script did not end well, or printed no JSON document."""


def read_report(script: Path, machine: Machine | None = None, seconds: float = 600) -> Any:
    """Run a guest script (Python of this environment, or bash) and return what it printed.

    Args:
        script: what to run.
        machine: where; None is the one that is to be had.
        seconds: of real time that it may take.

    Raises:
        GuestScriptError: with the end of the script's standard error.
        UnavailableError: no guest can be booted.
    """
    command = [INTERPRETERS[script.suffix], str(script)]
    finished = run(Job(command, cwd=Path(__file__).parents[3], seconds=seconds), machine)
    if finished.status == TIMED_OUT:
        raise GuestScriptError(_story(script, finished, "ran out of time"))
    if finished.status:
        raise GuestScriptError(_story(script, finished, f"exited with {finished.status}"))
    try:
        return json.loads(finished.stdout)
    except json.JSONDecodeError as problem:
        raise GuestScriptError(_story(script, finished, f"printed no JSON: {problem}")) from problem


def _story(script: Path, finished: Finished, what: str) -> str:
    return (
        f"{script.name} in the guest ({finished.machine}) {what}\n"
        f"--- stderr\n{finished.stderr[-3000:]}\n--- stdout\n{finished.stdout[-1000:]}"
    )
