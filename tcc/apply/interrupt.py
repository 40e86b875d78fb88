"""Ctrl-C, a lost terminal and `kill` as a question, so that nothing is left half done.

While a change is under way these signals are only noted; who carries the change out asks
between requests, and puts everything back.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_NOTED: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interruption:
    """Whether one of the signals came: `name` says which, None if none did."""

    def __init__(self) -> None:
        self.name: str | None = None

    def note(self, number: int, frame: FrameType | None) -> None:
        """Remember the first signal."""
        self.name = self.name or signal.Signals(number).name


@contextmanager
def noted() -> Iterator[Interruption]:
    """Note signals for the body of a `with`; afterwards they mean what they did before.

    Only the main thread gets signals: in another one nothing is ever noted.
    """
    interruption = Interruption()
    if threading.current_thread() is not threading.main_thread():
        yield interruption
        return
    before = [(number, signal.signal(number, interruption.note)) for number in _NOTED]
    try:
        yield interruption
    finally:
        for number, handler in before:
            signal.signal(number, handler)
