"""A change that is not confirmed yet: when it will be undone, and by whom.

The document `pending` of a state directory. It is there before the change begins, and whoever
takes it away (`tcc confirm`, a rollback) has disarmed the timer: the guard looks here, under
the lock, before it does anything.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tcc.apply.process import Process


@dataclass(frozen=True, slots=True)
class Pending:
    """One sequence of changes made with `--confirm`."""

    id: str
    """What tells one sequence from the next."""
    first: int
    """The number of its first change in the history: what is undone are this and later ones."""
    deadline: int
    """Nanoseconds of `tcc.apply.boottime`."""
    until: str
    """The same in local time, for people; no clock change moves the deadline."""
    command: str
    changer: Process
    """Who makes the newest change; when it dies half way, that change is undone at once."""
    boot: str
    """The kernel's boot id: after a reboot nothing of this holds."""


def pending_to_json(pending: Pending) -> dict[str, Any]:
    """Return `pending` for `pending_from_json`."""
    return {
        "id": pending.id,
        "first": pending.first,
        "deadline": pending.deadline,
        "until": pending.until,
        "command": pending.command,
        "changer": [pending.changer.pid, pending.changer.start],
        "boot": pending.boot,
    }


def pending_from_json(data: Mapping[str, Any]) -> Pending:
    """Return what is pending; raises KeyError, TypeError or ValueError where it is nothing such."""
    pid, start = data["changer"]
    return Pending(
        str(data["id"]),
        int(data["first"]),
        int(data["deadline"]),
        str(data["until"]),
        str(data["command"]),
        Process(int(pid), int(start)),
        str(data["boot"]),
    )
