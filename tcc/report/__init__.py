"""How findings look: for people, for editors, for the programs that run `tcc` for them."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

from tcc.diagnostics import Diagnostic
from tcc.source import Source

FORMATS = ("text", "concise", "json", "sarif", "github", "junit")


class Render(Protocol):
    """What the module of each format offers as `render`."""

    def __call__(self, found: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
        """Return `found` in one format; `sources` has the texts that spans point into."""


def renderer(name: str) -> Render:
    """Return the `render` of the format `name`, one of `FORMATS`; loads only that one."""
    if name not in FORMATS:
        raise KeyError(name)
    return cast(Render, import_module(f"tcc.report.{name}").render)
