"""What can be wrong with a change, in sentences."""

from collections.abc import Sequence

from tcc.apply.pending import Pending
from tcc.apply.records import Record
from tcc.apply.system import Result
from tcc.diagnostics import Diagnostic, error
from tcc.plan.render import name
from tcc.plan.state import Place, QdiscItem, State


def unfinished_change(record: Record) -> Diagnostic:
    """Return `unfinished-change`: what was left half done, and the way out."""
    devices = ", ".join(dict.fromkeys(place.device for place in record.before))
    return error(
        "unfinished-change",
        None,
        f"a change did not finish: `{record.command}` of {record.when}, on {devices}",
        "it was killed, or the way back failed; what is there now may be half of it",
        "put back what was there before it: tcc rollback",
    )


def unconfirmed_change(pending: Pending) -> Diagnostic:
    """Return `unconfirmed-change`: another change would confirm or undo it unasked."""
    return error(
        "unconfirmed-change",
        None,
        f"`{pending.command}` is not confirmed yet, and will be undone at {pending.until}",
        "keep it: tcc confirm; undo it now: tcc rollback",
        "or go on trying: with --confirm the time begins anew, and all of it is undone together",
    )


def restore_failed(left: Sequence[str]) -> Diagnostic:
    """Return `restore-failed`, with everything that is still not as it was."""
    return error(
        "restore-failed",
        None,
        "what was there before could not all be put back",
        *dict.fromkeys(left),
        "when the reason is gone: tcc rollback",
    )


def stale(moved: Sequence[Place], planned: State, now: State) -> Diagnostic:
    """Return `stale-plan`: what is no longer as it was when the plan was made."""
    return error(
        "stale-plan",
        None,
        "what is there is no longer what the plan was made for",
        *(
            f"{place.device} ({place.at}) was {name(planned.get(place))}, "
            f"is {name(now.get(place))}{_options_moved(planned.get(place), now.get(place))}"
            for place in moved
        ),
        "make the plan again",
    )


def _options_moved(planned: object, now: object) -> str:
    if isinstance(planned, QdiscItem) and isinstance(now, QdiscItem):
        same = (planned.kind, planned.handle) == (now.kind, now.handle)
        return ", set otherwise" if same else ""
    return ""


def not_back(result: Result) -> str:
    """Return what a step of the way back could not do."""
    step = result.operation
    what = name(step.after) if step.after is not None else f"the end of {name(step.before)}"
    return f"{what} on {step.place.device} ({step.place.at}): {result.text}"


def interrupted(signal_name: str) -> Diagnostic:
    """Return `interrupted`: somebody wants the change to end."""
    return error("interrupted", None, f"{signal_name} came before the change was complete")
