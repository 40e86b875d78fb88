"""Waiting for what concerns us, and looking when it comes.

The process sleeps in one poll(2) without a timeout as long as all is well. What is heard is
looked at once it has been quiet for a moment: changes come in bursts.
"""

import fnmatch
import gc
import os
import select
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import Final

from tcc.watch.keeper import Keeper
from tcc.watch.listening import Heard, Listener
from tcc.watch.notify import Notify

QUIET: Final = 0.05
"""Seconds without news before a look."""
AT_LAST: Final = 0.3
"""Seconds after the first news when a look comes in any case."""
MOST_KNOWN: Final = 4096
FIRST_OF_OTHERS: Final = 1 << 31
"""Ports from here on are of a process's further sockets; ours are among them."""
_NOTED: Final = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Interest:
    """Which devices a policy speaks of: names, patterns."""

    names: frozenset[str]
    patterns: tuple[str, ...] = ()

    def has(self, name: str) -> bool:
        """Whether a device is one of them."""
        return name in self.names or any(fnmatch.fnmatchcase(name, one) for one in self.patterns)


@dataclass
class Loop:
    """The life of one watch, from the first look to SIGTERM."""

    keeper: Keeper
    listener: Listener
    notify: Notify
    interest: Callable[[], Interest]
    reload: Callable[[], None]
    who: Callable[[int], str]
    _due: float | None = 0.0
    _first: float | None = None
    _anew: bool = True
    _ended: bool = False
    _culprits: dict[int, str] = field(default_factory=dict)
    _ports: dict[int, str] = field(default_factory=dict)
    _links: dict[int, tuple[object, ...]] = field(default_factory=dict)
    _alive: float | None = None

    def run(self) -> None:
        """Keep looking until a signal ends it."""
        reader, restore = _signals()
        poll = select.poll()
        poll.register(reader, select.POLLIN)
        self.listener.register(poll)
        try:
            self._look()
            _settle_memory()
            self.notify.ready(self._status())
            self.keeper.log.info(self._status())
            while not self._ended:
                poll.poll(self._timeout())
                self._signalled(reader)
                self._hear()
                self._sign_of_life()
                if not self._ended and self._due is not None and time.monotonic() >= self._due:
                    self._look()
            self.notify.stopping()
        finally:
            restore()

    def _timeout(self) -> float | None:
        """Return milliseconds until something is due; None: only news wakes us."""
        moments = [one for one in (self._due, self._next_sign()) if one is not None]
        if not moments:
            return None
        return max(0.0, min(moments) - time.monotonic()) * 1000 + 1

    def _look(self) -> None:
        who, anew = dict(self._culprits), self._anew
        self._culprits, self._ports = {}, {}
        self._first, self._due, self._anew = None, None, False
        wait = self.keeper.look(who, anew=anew)
        if wait is not None:
            self._due = time.monotonic() + wait
            self._anew = True
            if not wait:
                self._drain()
        gc.collect()  # what a look leaves is little, and far from what sets the collector going

    def _drain(self) -> None:
        """Hear what our own repair caused; the look that follows has seen it."""
        for one in self.listener.take():
            self._learn(one)
            if one.what == "lost":
                self._lost()
            elif 0 < one.port < FIRST_OF_OTHERS:
                self._blame(one)

    def _hear(self) -> None:
        interest = self.interest()
        for one in self.listener.take():
            if self._concerns(one, interest):
                now = time.monotonic()
                self._first = self._first or now
                self._due = min(self._first + AT_LAST, now + QUIET)
                self._blame(one)

    def _blame(self, one: Heard) -> None:
        """Note who has changed something; what is ours has the process's own port, or no name."""
        if one.port not in {0, os.getpid()}:
            if one.port not in self._ports:  # asked for at once: it may soon be gone
                self._ports[one.port] = self.who(one.port)
            self._culprits[one.index] = self._ports[one.port]

    def _lost(self) -> None:
        self.keeper.log.warning("the kernel had to drop news: looking at everything anew")
        self._links.clear()
        self._anew = True

    def _concerns(self, one: Heard, interest: Interest) -> bool:
        """Whether a change may be one of something that a policy wants."""
        if one.what == "lost":
            self._lost()
            return True
        if one.what == "marks":
            return self.keeper.marked
        if one.what != "link":
            return one.index in self.keeper.wanted.indexes.values() and interest.has(
                self.keeper.device(one.index)
            )
        known = self._links.get(one.index)
        self._learn(one)
        if not (interest.has(one.name) or interest.has(self.keeper.device(one.index))):
            return False
        changed = one.gone or known != one.link
        self._anew = self._anew or changed
        return changed

    def _learn(self, one: Heard) -> None:
        if one.what != "link":
            return
        if one.gone or len(self._links) >= MOST_KNOWN:
            self._links.pop(one.index, None)
        if not one.gone:
            self._links[one.index] = one.link

    def _signalled(self, reader: int) -> None:
        try:
            came = set(os.read(reader, 64))
        except BlockingIOError:
            return
        if came & {signal.SIGTERM, signal.SIGINT}:
            self._ended = True
        elif signal.SIGHUP in came:
            self.notify.reloading()
            self.reload()
            self.keeper.forget()
            self._anew = True
            self._look()
            self.notify.ready(self._status())

    def _status(self) -> str:
        return f"keeping {len(self.interest().names)} devices, {self.keeper.repairs} repairs"

    def _next_sign(self) -> float | None:
        interval = self.notify.interval
        if interval is None:
            return None
        return time.monotonic() if self._alive is None else self._alive + interval

    def _sign_of_life(self) -> None:
        moment = self._next_sign()
        if moment is not None and time.monotonic() >= moment:
            self.notify.alive()
            self._alive = time.monotonic()


def _settle_memory() -> None:
    """Let the collector leave alone what was loaded: it stays for good, and is most of it."""
    gc.collect()
    gc.freeze()


def _signals() -> tuple[int, Callable[[], None]]:
    """Return the descriptor that says which signals came, and what puts all back."""
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    before = {number: signal.signal(number, _nothing) for number in _NOTED}
    earlier = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    def restore() -> None:
        signal.set_wakeup_fd(earlier)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(reader)
        os.close(writer)

    return reader, restore


def _nothing(number: int, frame: FrameType | None) -> None:
    """Be there: the descriptor tells which signal came."""
