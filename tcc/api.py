"""The whole compiler, one function per stage."""

from collections.abc import Mapping

from tcc.diagnostics import Diagnostic, error
from tcc.passes import Built, Given, build
from tcc.source import Source, Span
from tcc.syntax.read import read_source


def load(
    policy: Source | str,
    values: Mapping[str, object] | Given | None = None,
    *,
    directory: str | None = None,
) -> Built:
    """Read a policy, and what it includes, as far as it can be read."""
    given = values if isinstance(values, Given) else Given(values or {})
    source = policy if isinstance(policy, Source) else read_source(policy)
    if isinstance(source, Diagnostic):
        return Built(None, {}, frozenset(), (), {}, (), (), (source,))
    return build(source, given, directory)


__all__ = ["Span", "error", "load"]
