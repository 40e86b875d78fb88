"""A change on trial: ready to be undone before it begins, and until it is confirmed.

Like a confirmed commit of NETCONF (RFC 6241, 8.4) and Junos: while one is pending, a second one
goes on with it. The time begins anew, there is still one timer, and it undoes all of them.
"""

import secrets
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from tcc.apply import boottime, guarding
from tcc.apply.journal import Journal
from tcc.apply.pending import Pending
from tcc.apply.process import this
from tcc.diagnostics import Diagnostic, error
from tcc.netlink.namespace import Namespace


@dataclass
class Trial:
    """One change that is undone `seconds` after it was made, unless somebody confirms it."""

    journal: Journal
    namespace: Namespace | None
    command: str
    duration: int
    """How long, in nanoseconds."""
    until: str = ""
    """When it will be undone, in local time; known once it is made."""
    _now: Pending | None = field(default=None, init=False)
    _before: Pending | None = field(default=None, init=False)

    def arm(self, number: int, pending: Pending | None) -> Diagnostic | None:
        """Have somebody undo change `number` and later ones; return `confirm-unavailable`.

        Raises:
            OSError: it cannot be written down.
        """
        self._before = pending
        if pending is None:
            boot = self.journal.boot
            pending = Pending(secrets.token_hex(8), number, 0, "", "", this(), boot)
            pending = self._from_now(pending)
        self._now = replace(pending, command=self.command, changer=this())
        self.journal.arm(self._now)
        self.journal.say_expired("")
        trouble = guarding.begin(self.journal, self._now.id, self.namespace)
        if not trouble:
            return None
        self.failed()
        return error(
            "confirm-unavailable",
            None,
            f"nothing would undo it in time, so nothing was changed: {trouble}",
            "without --confirm it is done for good",
        )

    def made(self) -> None:
        """Let the time begin now."""
        assert self._now is not None
        self._now = self._from_now(self._now)
        self.journal.arm(self._now)
        self.until = self._now.until
        guarding.wake(self.journal)

    def failed(self) -> None:
        """Let hold what held before: an earlier change on trial, or nothing."""
        if self._before is None:
            self.journal.disarm()
        else:
            self.journal.arm(self._before)
        guarding.wake(self.journal)

    def _from_now(self, pending: Pending) -> Pending:
        until = datetime.now().astimezone() + timedelta(microseconds=self.duration // 1000)
        return replace(
            pending,
            deadline=boottime.now() + self.duration,
            until=until.isoformat(timespec="seconds"),
        )
