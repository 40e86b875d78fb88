"""Keeping what was on trial."""

from tcc.apply import guarding
from tcc.apply.findings import unfinished_change
from tcc.apply.journal import Journal
from tcc.apply.transaction import Outcome, Report, guarded
from tcc.diagnostics import error


def confirm(journal: Journal, command: str) -> Report:
    """Keep what nobody has confirmed yet.

    Found: `nothing-to-confirm`, `unfinished-change` where the newest part of it is half done,
    `state-busy`, `state-unusable`.
    """
    return guarded(journal, command, lambda: _locked(journal))


def _locked(journal: Journal) -> Report:
    pending = journal.on_trial()
    if pending is None:
        found = error(
            "nothing-to-confirm",
            None,
            "no change of this namespace waits to be confirmed",
            journal.expired() or "only `tcc apply --confirm` makes one that does",
        )
        return Report(Outcome.REFUSED, (found,))
    unfinished = journal.unfinished()
    if unfinished is not None:
        return Report(Outcome.REFUSED, (unfinished_change(unfinished),))
    journal.confirm(pending)
    guarding.wake(journal)
    return Report(Outcome.DONE, (), (f"kept: `{pending.command}`",))
