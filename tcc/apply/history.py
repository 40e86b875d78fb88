"""The history in lines for people."""

from tcc.apply.journal import Journal, Step
from tcc.apply.pending import Pending
from tcc.apply.records import Record


def lines(journal: Journal) -> list[str]:
    """Return what `tcc rollback` can take back, the newest first, by the steps it takes.

    Raises:
        DamagedError, OSError: the state directory cannot be read. A damaged change is a line.
    """
    unfinished, pending = journal.unfinished(), journal.pending()
    steps = list(reversed(journal.steps()))
    found = [] if unfinished is None else [f"{_told(unfinished)}  (did not finish)"]
    return [
        f"{number:>2}  {text}"
        for number, text in enumerate([*found, *(_line(step, pending) for step in steps)], 1)
    ]


def _line(step: Step, pending: Pending | None) -> str:
    if step.record is None:
        return f"change {step.number} cannot be read: {step.trouble}"
    if pending is not None and step.number >= pending.first:
        return f"{_told(step.record)}  (undone at {pending.until} unless confirmed)"
    return _told(step.record)


def _told(record: Record) -> str:
    devices = ", ".join(dict.fromkeys(place.device for place in record.after))
    return f"{record.when}  {record.command}  on {devices}"
