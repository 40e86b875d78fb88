"""Running ip(8) and tc(8), and Python again in a namespace."""

import os
import subprocess
import sys
from typing import Any

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

Job = dict[str, Any]


class CommandError(Exception):
    """A program failed; the message is its command line and what it said."""


def environment() -> dict[str, str]:
    """Return the environment for programs: tc(8) may lie where root's PATH alone looks."""
    return {**os.environ, "PATH": PATH}


def command(*words: str) -> str:
    """Run a program and return what it prints.

    Raises:
        CommandError: it failed.
    """
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment())
    if done.returncode:
        said = done.stderr.strip() or f"exit status {done.returncode}"
        raise CommandError(f"{' '.join(words)}: {said}")
    return done.stdout


def role(namespace: str, *words: str) -> subprocess.Popen[str]:
    """Start one role of this package in a namespace; it prints to a pipe."""
    return subprocess.Popen(
        ["ip", "netns", "exec", namespace, sys.executable, "-BP", "-m", __package__, *words],
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    )
