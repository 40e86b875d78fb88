"""What a back end writes for a policy, for tests of the back ends that write files."""

from tcc import api
from tcc.diagnostics import Severity
from tcc.plan.state import FileItem
from tcc.source import Source


def written(text: str, backend: str, **knobs: str) -> tuple[dict[str, str], list[str]]:
    """Return the files by path, and the codes of what was found that is no note."""
    built = api.load(Source("p.tcc", text))
    assert built.policy, built.found
    state, found = api.lower(built, backend, None, knobs)
    files = {place.at: item.text for place, item in state.items() if isinstance(item, FileItem)}
    return files, [item.code for item in found if item.severity is not Severity.NOTE]


def table(text: str, backend: str, **knobs: str) -> dict[tuple[str, str], str]:
    """Return the verdict of each clause."""
    built = api.load(Source("p.tcc", text))
    assert built.policy, built.found
    rows = api.express(built, backend, None, knobs)
    return {(row.where, row.clause): str(row.verdict) for row in rows}
