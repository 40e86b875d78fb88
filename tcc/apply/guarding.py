"""Starting the process that undoes a change (`tcc.apply.guard`), and telling it to look again.

It has to outlive whoever starts it: the session, the terminal, the parent. Where systemd runs,
it is a service of its own, so that what ends a user's session does not end it
(logind.conf(5), KillUserProcesses); elsewhere it is in a session of its own.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Final

from tcc.apply.journal import Journal
from tcc.netlink.namespace import Namespace

PATIENCE: Final = 30.0
"""Seconds that it may take to be ready; it loads all that it will need first."""
_PAUSE: Final = 0.02


def begin(journal: Journal, identifier: str, namespace: Namespace | None) -> str:
    """Have a guard for the pending change `identifier`; return why there is none.

    One that is there already is told to look again.

    Raises:
        OSError: the state directory cannot be used.
    """
    there = journal.guard()
    if there is not None and there.id == identifier and there.process.alive():
        wake(journal)
        return ""
    where = namespace.path if namespace is not None else Path(f"/proc/{os.getpid()}/ns/net")
    words = [str(journal.root), journal.path.name, identifier, str(where)]
    if _systemd() and not _start(journal, identifier, _service(identifier, words)):
        return ""
    trouble = _start(journal, identifier, [*_python(), "--detach", *words])
    return trouble and (_last_line(journal) or trouble)


def wake(journal: Journal) -> None:
    """Tell the guard, if there is one, that something has changed; it would find out anyway."""
    there = journal.guard()
    if there is not None:
        there.process.send(signal.SIGUSR1)


def _python() -> list[str]:
    return [sys.executable, "-P", "-m", "tcc.apply.guard"]


def _systemd() -> bool:
    """Whether systemd is what runs here (sd_booted(3)), and the first process besides."""
    try:
        first = Path("/proc/1/comm").read_text("ascii", "replace").strip()
    except OSError:
        return False
    return first == "systemd" and Path("/run/systemd/system").is_dir()


def _service(identifier: str, words: list[str]) -> list[str]:
    return [
        "systemd-run",
        "--quiet",
        "--collect",
        f"--unit=tcc-unconfirmed-{identifier}",
        "--description=Undo a change of tcc that nobody confirms",
        "--property=OOMScoreAdjust=-900",
        "--",
        *_python(),
        *words,
    ]


def _start(journal: Journal, identifier: str, command: list[str]) -> str:
    """Start it and wait until it says that it is ready; return why it is not."""
    log = os.open(
        journal.path / "guard.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600
    )
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=log,
            start_new_session=True,
            cwd="/",
            check=False,
        )
    except OSError as problem:
        return f"{command[0]}: {problem.strerror}"
    finally:
        os.close(log)
    if done.returncode:
        return f"{Path(command[0]).name} ended with {done.returncode}"
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        there = journal.guard()
        if there is not None and there.id == identifier:
            return ""
        time.sleep(_PAUSE)
    return f"it was not ready after {PATIENCE:g} s"


def _last_line(journal: Journal) -> str:
    try:
        lines = (journal.path / "guard.log").read_text("utf-8", "replace").split("\n")
    except OSError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
