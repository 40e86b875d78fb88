"""Programs that do not outlive this process, however it ends."""

import os
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from tcc.verify.lifeline import depend_on


def start(words: Sequence[str], death: signal.Signals, **options: Any) -> subprocess.Popen[Any]:  # noqa: ANN401
    """Start a program in a session of its own, so that Ctrl-C is for this process alone.

    Args:
        words: the command line.
        death: the signal that the kernel sends the program when this process is no more.
        options: those of `subprocess.Popen`.
    """
    return subprocess.Popen(
        words,
        preexec_fn=partial(depend_on, os.getpid(), death),  # noqa: PLW1509  (no other thread runs)
        start_new_session=True,
        **options,
    )


def end(process: subprocess.Popen[Any], patience: float) -> None:
    """End a program and all that it started: kindly first, and after a while (s) in any case."""
    if process.poll() is None:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
