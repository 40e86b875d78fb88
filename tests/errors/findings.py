"""What the cases of this folder are run through: the one place that says so."""

from tcc.diagnostics import Diagnostic
from tcc.source import Source
from tcc.syntax.parser import parse


def findings(source: Source) -> list[Diagnostic]:
    """Return everything there is to say about a policy."""
    return parse(source)[1]
