"""One file says what a network should do; tcc checks it, predicts it, and applies it.

    >>> import tcc
    >>> built = tcc.load(tcc.Source("a.tcc", 'link wan { device "eth0"; bandwidth 18mbit }'))
    >>> built.policy.links[0].egress.bandwidth.rate
    18000000

Names are imported when they are first used, so that a program pays for what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tcc.api import format_text, lint, load
    from tcc.diagnostics import Diagnostic, Fix, Severity
    from tcc.facts import Facts
    from tcc.ir import Policy
    from tcc.passes import Built, Given
    from tcc.schema import json_schema, to_json
    from tcc.source import Source, Span

__version__ = "0.1.0"

_HOMES = {
    "Built": "tcc.passes",
    "Diagnostic": "tcc.diagnostics",
    "Facts": "tcc.facts",
    "Fix": "tcc.diagnostics",
    "Given": "tcc.passes",
    "Policy": "tcc.ir",
    "Severity": "tcc.diagnostics",
    "Source": "tcc.source",
    "Span": "tcc.source",
    "format_text": "tcc.api",
    "json_schema": "tcc.schema",
    "lint": "tcc.api",
    "load": "tcc.api",
    "to_json": "tcc.schema",
}

__all__ = [
    "Built",
    "Diagnostic",
    "Facts",
    "Fix",
    "Given",
    "Policy",
    "Severity",
    "Source",
    "Span",
    "__version__",
    "format_text",
    "json_schema",
    "lint",
    "load",
    "to_json",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return __all__
