"""The page of every finding: what it means, why, an example, what to write instead.

A page is `<code>.md` in this folder. `tcc explain CODE` prints it, and the manual shows it.
"""

from functools import cache
from importlib.resources import files

SECTIONS = ("What it means", "Why", "Example", "Instead")
SUFFIX = ".md"


@cache
def codes() -> frozenset[str]:
    """Return the codes of all findings that have a page."""
    return frozenset(
        entry.name.removesuffix(SUFFIX)
        for entry in files(__package__).iterdir()
        if entry.name.endswith(SUFFIX)
    )


def page(code: str) -> str | None:
    """Return the page of a finding as Markdown; None when there is none."""
    if code not in codes():
        return None
    return files(__package__).joinpath(code + SUFFIX).read_text("utf-8")
