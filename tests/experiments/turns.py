"""Whose turn it is on the recorded guest's one processor.

Linux 7.3's fair scheduler takes, of the tasks that are ready and owed service, the one with the
earliest virtual deadline (EEVDF).  All tasks here have equal weight, so virtual times are
nanoseconds of running.  The guest's clock moves by ticks: a turn is charged whole to who runs when
the tick comes, and who sleeps before it has run for nothing.  Rules of kernel/sched/fair.c with its
features as they are set there, PLACE_LAG, RUN_TO_PARITY, DELAY_DEQUEUE and DELAY_ZERO among them.
The traces would not tell a wrong `_shorten`, DELAY_ZERO or a slice a little longer.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter

SLICE = 700_000  # ns; base_slice_ns
TICK = 1_000_000
LAG = SLICE + TICK  # the greatest that is remembered


class Task:
    """A process as the scheduler sees it.

    Attributes:
        vruntime: virtual time that it has had (ns).
        deadline: virtual time by which its slice is due.
        lag: what it was owed when it went to sleep (ns).
        protected: virtual time up to which no other that is woken takes its turn.
        queued: it is ready, or running, or asleep and not yet let go.
        delayed: it is asleep, and stays queued until it is owed service.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.vruntime = self.deadline = self.lag = self.protected = 0
        self.queued = self.delayed = False


class Processor:
    """One processor's tasks.

    Attributes:
        current: the task that runs.
        ready: the others that are queued, by deadline; equal ones as they came.
        due: another is to run as soon as the kernel can switch.
    """

    def __init__(self) -> None:
        self.current: Task | None = None
        self.ready: list[Task] = []
        self.due = False
        self._average = 0

    def fork(self, task: Task) -> None:
        """Make a new task ready: half a slice, and it takes no one's turn."""
        self._place(task)
        task.deadline = task.vruntime + SLICE // 2
        task.queued = True
        self._insert(task)
        if self.current is None:
            self.due = True
        else:
            self._shorten(self.current)

    def wake(self, task: Task) -> None:
        """Make a sleeping task ready; one that is ready or runs is left alone."""
        if task is self.current:
            return
        if task.delayed:
            if self._weigh(task):
                self.ready.remove(task)
                self._place(task)
                self._insert(task)
            task.delayed = False
        elif task.queued:
            return
        else:
            self._place(task)
            task.queued = True
            self._insert(task)
        self._preempt(task)

    def sleep(self, ends: bool = False) -> None:
        """Put the running task to sleep, for good if it ends, and run another."""
        task = self.current
        if task is None:
            raise ValueError("no task runs, so none can go to sleep")
        self._weigh(task)
        if ends or self._eligible(task):
            task.queued = False
        else:
            task.delayed = True
        self.switch()

    def switch(self) -> None:
        """Run the task whose turn it is."""
        self.due = False
        task, before = self._choose(), self.current
        if task is before:
            return
        if before is not None and before.queued:
            self._insert(before)
        if task is not None:
            self.ready.remove(task)
            task.protected = task.deadline
        self.current = task

    def tick(self, ran: int = TICK) -> None:
        """Charge the running task what has passed since the last tick (ns)."""
        task = self.current
        if task is None:
            return
        task.vruntime += ran
        spent = task.vruntime >= task.deadline
        if spent:
            task.deadline = task.vruntime + SLICE
            self._mean()
        if self.ready and (spent or task.vruntime >= task.protected):
            self.due = True

    def _members(self) -> list[Task]:
        """Return all that are queued."""
        task = self.current
        return [*self.ready, task] if task is not None and task.queued else self.ready

    def _mean(self) -> int:
        """Return the virtual time: the mean of the queued tasks', or the last one."""
        members = self._members()
        if members:
            self._average = sum(one.vruntime for one in members) // len(members)
        return self._average

    def _eligible(self, task: Task) -> bool:
        """Say whether a task is owed service."""
        members = self._members()
        return sum(one.vruntime for one in members) >= task.vruntime * len(members)

    def _insert(self, task: Task) -> None:
        place = bisect_right(self.ready, task.deadline, key=attrgetter("deadline"))
        self.ready.insert(place, task)

    def _place(self, task: Task) -> None:
        """Let a task join with the lag that it left with, and a slice from there."""
        mean, others, lag = self._mean(), len(self._members()), 0
        if others:  # joining moves the mean towards it, so its lag is enlarged by as much
            share = abs(task.lag) // others
            lag = task.lag + (share if task.lag > 0 else -share)
        task.vruntime = mean - lag
        task.deadline = task.vruntime + SLICE

    def _weigh(self, task: Task) -> bool:
        """Note a task's lag; say whether it is not the one its virtual time shows."""
        mean = self._mean()
        lag = max(-LAG, min(LAG, mean - task.vruntime))
        if task.delayed:
            lag = min(max(lag, task.lag), 0)
        task.lag = lag
        return mean - lag != task.vruntime

    def _preempt(self, task: Task) -> None:
        """Let a task that was woken take the running one's turn, if it is the one to run."""
        current = self.current
        if current is None:
            self.due = True
        elif self._choose() is task:
            current.protected = min(current.protected, current.vruntime)
            self.due = True
        else:
            self._shorten(current)

    def _shorten(self, current: Task) -> None:
        """Protect the running task for no more than a slice, now that another is ready."""
        latest = min(current.vruntime, self._mean()) + SLICE
        current.protected = min(current.protected, latest)

    def _choose(self) -> Task | None:
        """Return the task to run, and let go of sleepers whose turn it would be."""
        while self._members():
            task = self._pick()
            if not task.delayed:
                return task
            self._weigh(task)
            task.queued = task.delayed = False
            if task is not self.current:
                self.ready.remove(task)
        return None

    def _pick(self) -> Task:
        """Return the task owed service whose deadline is earliest."""
        members, current = self._members(), self.current
        if len(members) == 1:
            return members[0]
        if current is not None and (not current.queued or not self._eligible(current)):
            current = None
        if current is not None and current.vruntime < current.protected:
            return current
        best = next((one for one in self.ready if self._eligible(one)), None)
        if best is None or (current is not None and current.deadline < best.deadline):
            best = current
        if best is None:
            raise ValueError("no task is owed service, but one always is")
        return best
