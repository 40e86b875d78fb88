"""Going back: after a change that did not finish, or one step from one that did."""

from tcc.apply.interrupt import noted
from tcc.apply.journal import Journal
from tcc.apply.records import Record
from tcc.apply.system import System
from tcc.apply.transaction import Outcome, Report, closed, guarded, put_back, restore_failed
from tcc.diagnostics import error, has_errors
from tcc.plan.restore import restore, unlike


def roll_back(system: System, journal: Journal, command: str) -> Report:
    """Put back what was there before the change that did not finish, else before the last one.

    Found: `nothing-to-roll-back`, `cannot-restore` where somebody else has since put
    something there that would be lost for good, `restore-failed`, `state-busy`,
    `state-unusable`.
    """
    return guarded(journal, command, lambda: _locked(system, journal))


def _locked(system: System, journal: Journal) -> Report:
    record = journal.unfinished()
    notes: tuple[str, ...] = ()
    if record is None:
        record = journal.last()
        if record is None:
            found = error(
                "nothing-to-roll-back",
                None,
                "no change of this namespace is remembered",
                "the history begins with the first apply, and ends with a reboot",
            )
            return Report(Outcome.REFUSED, (found,))
        now = system.observe({**record.after, **record.before})
        obstacles = tuple(system.obstacles(restore(now, record.before, system)))
        if has_errors(obstacles):
            return Report(Outcome.REFUSED, obstacles)
        notes = tuple(
            f"{place.device} ({place.at}) had been changed by somebody else since"
            for place in unlike(now, record.after, system)
        )
        journal.reopen()
    with noted():
        return _undo(system, journal, record, notes)


def _undo(system: System, journal: Journal, record: Record, notes: tuple[str, ...]) -> Report:
    left = put_back(system, record)
    if left:
        return Report(Outcome.STUCK, (restore_failed(left),), notes)
    gone = {place.device for place in record.before}
    gone -= {place.device for place in system.observe(record.before)}
    found = tuple(closed(journal, record))
    lost = tuple(f"{device} is gone, and what hung on it" for device in sorted(gone))
    return Report(
        Outcome.DONE, found, (f"undone: `{record.command}` of {record.when}", *notes, *lost)
    )
