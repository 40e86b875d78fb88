"""What runs now: redirects that lead nowhere, drift, changes that did not finish."""

from collections.abc import Iterator

from tcc.apply.journal import Journal
from tcc.apply.stored import DamagedError
from tcc.apply.system import System
from tcc.doctor.finding import Finding, look, ok, unknown
from tcc.status import redirects
from tcc.status.drift import drift
from tcc.status.reader import Reader
from tcc.status.text import change_text


def findings(reader: Reader, system: System, journal: Journal) -> Iterator[Finding]:
    """Yield what is wrong with what runs.

    Raises:
        OSError: the kernel would not list.
    """
    yield from _redirects(reader)
    yield from _unfinished(journal)
    found, _ = drift(journal, system)
    match found.state:
        case "none":
            yield ok("drift", f"what runs is what was applied at {found.applied}")
        case "drifted":
            for change in found.changes:
                yield look("drift", change_text(change), "tcc apply FILE, with the policy")
        case "unknown":
            yield unknown("drift", f"whether what runs is what was applied: {found.why}")


def _redirects(reader: Reader) -> Iterator[Finding]:
    look_ = reader.look()
    for number, one in redirects.read(reader.route, look_).items():
        device = look_.devices.get(number)
        if device is not None and one.to not in look_.devices:
            yield look(
                "redirect",
                f"what comes in by {device.name} is redirected to a device that is gone: all of it "
                "is lost",
                f"tc filter delete dev {device.name} ingress; then: tcc apply FILE",
            )


def _unfinished(journal: Journal) -> Iterator[Finding]:
    try:
        record = journal.unfinished()
    except (OSError, DamagedError) as problem:
        yield unknown("journal", f"whether a change was left half done: {problem}")
        return
    if record is not None:
        yield look("journal", f"a change did not finish: `{record.command}`", "tcc rollback")
