"""How far a long command is, and how long it will take: one line on a terminal."""

import sys
import time

import click

WIDTH = 30
PAUSE = 0.1
"""Seconds between two lines: more often nobody reads."""


class Progress:
    """A bar of runs, with the time that is left at the pace so far."""

    def __init__(self, total: int) -> None:
        self.total = total
        self._began = time.monotonic()
        self._shown = 0.0

    def show(self, done: int, before: int) -> None:
        """Show how many runs are done, `before` of which were so when it began."""
        now = time.monotonic()
        if not sys.stderr.isatty() or (now - self._shown < PAUSE and done < self.total):
            return
        self._shown = now
        bar = "#" * (WIDTH * done // max(1, self.total))
        left = remaining(done - before, self.total - done, now - self._began)
        click.echo(
            f"\r\x1b[K[{bar:{WIDTH}}] {done:,} of {self.total:,} runs{left}", err=True, nl=False
        )

    def clear(self) -> None:
        """Take the line off the terminal."""
        if sys.stderr.isatty():
            click.echo("\r\x1b[K", err=True, nl=False)


def remaining(done: int, left: int, seconds: float) -> str:
    """Return the words for the time left; nothing while that cannot be known.

    >>> remaining(100, 300, 60.0)
    ', 3min 0s left'
    """
    if not done or not left:
        return ""
    whole = round(left * seconds / done)
    hours, minutes = divmod(whole // 60, 60)
    if hours:
        return f", {hours}h {minutes}min left"
    return f", {minutes}min {whole % 60}s left" if minutes else f", {whole}s left"
