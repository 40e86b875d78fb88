"""The process that undoes a change that nobody confirms: `python -m tcc.apply.guard`.

It is there before the change begins, has loaded all that it needs, and has the namespace open.
It wakes when the deadline comes, when the process that makes the change dies, and when somebody
tells it to look again (SIGUSR1). Then it takes the lock and reads the state directory; only
what it finds there counts. So signals may get lost, and nobody has to be right about the past:

    nothing pending, or something else     it is not needed any more
    a change that did not finish           whoever made it is dead: undo it at once
    the deadline is over                   undo all that is pending

SIGTERM means that it cannot go on waiting: it undoes at once, which is the safe side. Ctrl-C,
a lost terminal and job control do not reach it: it is in a session of its own.
"""

import argparse
import os
import select
import signal
import sys
import syslog
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final, cast

from tcc import plugin
from tcc.apply import boottime
from tcc.apply.identity import identify
from tcc.apply.journal import Guard, Journal, UntrustedDirectoryError
from tcc.apply.lock import BusyError
from tcc.apply.pending import Pending
from tcc.apply.privilege import DAC_OVERRIDE, NET_ADMIN, only
from tcc.apply.process import Process, this
from tcc.apply.stored import DamagedError
from tcc.apply.system import LiveBackend, System
from tcc.apply.transaction import Outcome, Report
from tcc.apply.undo import expire, put_back_unfinished
from tcc.netlink.namespace import Namespace

WHO: Final = "the rollback of what is not confirmed"
LOCK_PATIENCE: Final = 5.0
HUNG_AFTER: Final = 60.0
"""Seconds beyond the deadline after which a change that still goes on is ended."""
LONGEST_PAUSE: Final = 60.0
_IGNORED: Final = (
    signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGPIPE,
    signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU,
)  # fmt: skip


@dataclass
class Watch:
    """What one guard knows."""

    system: System
    journal: Journal
    id: str
    wakeup: int
    """A descriptor that becomes readable when a signal comes."""
    hurried: bool = False
    ended: set[Process] = field(default_factory=set)
    pause: float = 1.0
    seen: Pending | None = None

    def run(self) -> None:
        """Wait and act until there is nothing left to do."""
        with boottime.Timer() as timer:
            while (pending := self.pending()) is not None:
                self._wait(pending, timer)
                if self._settled():
                    return

    def pending(self) -> Pending | None:
        """Return what this guard is for; None when it is not needed any more."""
        try:
            found = self.journal.pending()
        except DamagedError:  # what was read last counts: it must not be kept for that
            return self.seen
        self.seen = found if found is not None and found.id == self.id else None
        return self.seen

    def _wait(self, pending: Pending, timer: boottime.Timer) -> None:
        if self.hurried or boottime.now() >= pending.deadline:
            return
        timer.set(pending.deadline)
        poll = select.poll()
        poll.register(self.wakeup, select.POLLIN)
        poll.register(timer, select.POLLIN)
        changer = None
        if pending.changer not in self.ended:
            changer = pending.changer.descriptor()
            if changer is None:
                self.ended.add(pending.changer)
                return
            poll.register(changer, select.POLLIN)
        try:
            ready = {descriptor for descriptor, _ in poll.poll()}
        finally:
            if changer is not None:
                os.close(changer)
        if changer in ready:
            self.ended.add(pending.changer)
        if self.wakeup in ready:
            os.read(self.wakeup, 4096)

    def _settled(self) -> bool:
        """Look, under the lock, and act; return whether nothing is left to do."""
        pending = self.pending()
        if pending is None:
            return True
        overdue = self.hurried or boottime.now() >= pending.deadline
        if not overdue and pending.changer not in self.ended:
            return False  # somebody told us to look, and the deadline is another one
        try:
            with self.journal.held(WHO, LOCK_PATIENCE), only(NET_ADMIN, DAC_OVERRIDE):
                return self._act()
        except BusyError as problem:
            if boottime.now() >= pending.deadline + int(HUNG_AFTER * 1e9):
                say(f"ends what takes too long: {problem}")
                pending.changer.send(signal.SIGKILL)
            if overdue:
                return False
        except (DamagedError, UntrustedDirectoryError, OSError) as problem:
            say(f"cannot undo yet: {problem}")
        self._rest()
        return False

    def _act(self) -> bool:
        pending = self.pending()
        if pending is None:
            return True
        if not self.hurried and boottime.now() < pending.deadline:
            return self._clean_up(pending)
        report = expire(self.system, self.journal, pending, WHO)
        self._tell(report)
        if report.outcome in {Outcome.STUCK, Outcome.REFUSED}:
            self._rest()
            return False
        when = time.strftime("%Y-%m-%dT%H:%M:%S%z")
        said = f"`{pending.command}` was undone at {when}: nobody had confirmed it"
        self.journal.say_expired(said)
        return True

    def _clean_up(self, pending: Pending) -> bool:
        """Undo a change whose maker died half way; return whether nothing is left on trial."""
        report = put_back_unfinished(self.system, self.journal, WHO)
        if report.outcome is not Outcome.UNCHANGED:
            self._tell(report)
        if report.outcome is Outcome.STUCK:
            self._rest()
            self.ended.discard(pending.changer)  # look again before the deadline
            return False
        if any(step.number >= pending.first for step in self.journal.steps()):
            return False
        self.journal.disarm()
        return True

    def _rest(self) -> None:
        time.sleep(self.pause)
        self.pause = min(2 * self.pause, LONGEST_PAUSE)

    def _tell(self, report: Report) -> None:
        for text in (report.outcome.value, *report.notes):
            say(text)
        for found in report.found:
            say(f"{found.severity.value} [{found.code}] {found.message}")
            for hint in found.hints:
                say(f"    {hint}")


def say(text: str) -> None:
    """Tell the system's log, and whoever keeps standard error."""
    syslog.syslog(syslog.LOG_WARNING, text)
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    """Guard one pending change; 0 when it is over, 1 when it could not be guarded."""
    parser = argparse.ArgumentParser(prog="tcc.apply.guard", description=__doc__)
    parser.add_argument("--detach", action="store_true", help="go on in the background")
    parser.add_argument("root", type=Path)
    parser.add_argument("directory")
    parser.add_argument("id")
    parser.add_argument("namespace", type=Path)
    args = parser.parse_args()
    ready = detach() if args.detach else None
    syslog.openlog("tcc", syslog.LOG_PID, syslog.LOG_DAEMON)
    return guard(args.root, args.directory, args.id, args.namespace, ready)


def detach() -> int:
    """Go on in a child, and end the parent when the child is ready or dead.

    The child leads no session, so it never gets a terminal again.

    Returns:
        the descriptor to write to when it is ready.
    """
    reader, writer = os.pipe()
    if os.fork():
        os.close(writer)
        os._exit(0 if os.read(reader, 1) else 1)
    os.close(reader)
    return writer


def guard(root: Path, directory: str, identifier: str, path: Path, ready: int | None = None) -> int:
    """Load everything, say that it is ready, and guard."""
    namespace = None if _is_here(path) else Namespace(path)
    journal = Journal(root, identify(namespace))
    if journal.path.name != directory:
        raise SystemExit(f"{path} is {journal.path.name}, not {directory}")
    for kind in plugin.names("tcc.qdiscs"):
        plugin.qdisc(kind)
    backend = cast(LiveBackend, plugin.backend("netlink"))
    with backend.open(namespace) as system:
        watch = Watch(system, journal, identifier, _signals())
        signal.signal(signal.SIGTERM, lambda *_: setattr(watch, "hurried", True))
        if watch.pending() is None:
            return 1
        _survive()
        journal.say_guard(Guard(identifier, this()))
        if ready is not None:
            os.write(ready, b"!")
            os.close(ready)
        watch.run()
    return 0


def _is_here(path: Path) -> bool:
    """Whether `path` is the namespace that this process is in: entering one takes a privilege."""
    here, there = os.stat("/proc/self/ns/net"), os.stat(path)
    return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)


def _signals() -> int:
    """Return the descriptor that signals make readable."""
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    signal.signal(signal.SIGUSR1, _nothing)
    reader, writer = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    return reader


def _nothing(number: int, frame: FrameType | None) -> None:
    """Be there, so that the signal ends nothing."""


def _survive() -> None:
    """Ask to be spared when memory runs out; that takes a privilege, and is no condition."""
    try:
        Path("/proc/self/oom_score_adj").write_text("-900", "ascii")
    except OSError:
        return


if __name__ == "__main__":
    sys.exit(main())
