"""`unused-name`."""

from collections.abc import Iterator

from tcc.checks.view import View
from tcc.diagnostics import Diagnostic, warning
from tcc.passes.context import Kind

KINDS = frozenset({Kind.LET, Kind.PARAM, Kind.PROFILE, Kind.WORKLOAD, Kind.TESTBED})


def check(view: View) -> Iterator[Diagnostic]:
    """Yield a warning for each name of the policy's own file that nothing uses.

    What is included may define more than one policy needs.
    """
    own = view.built.trees[0].source.path if view.built.trees else None
    for definition in view.built.names:
        if definition.uses or definition.kind not in KINDS or definition.span.path != own:
            continue
        yield warning(
            "unused-name",
            definition.span,
            f"nothing uses the {definition.kind} `{definition.name}`",
            "either it is left over, or another name stands where this one was meant",
            "use it, or take it away",
        )
