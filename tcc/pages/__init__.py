"""The page of every finding: what it means, why, an example, what to write instead, sources.

A page is `<code>.md` in this folder. `tcc explain CODE` prints it, and the manual shows it.
"""

from functools import cache
from pathlib import Path

SECTIONS = ("What it means", "Why", "Example", "Instead", "References")
SUFFIX = ".md"
FOLDER = Path(__file__).parent


@cache
def codes() -> frozenset[str]:
    """Return the codes of all findings that have a page."""
    return frozenset(entry.stem for entry in FOLDER.glob(f"*{SUFFIX}"))


def page(code: str) -> str | None:
    """Return the page of a finding as Markdown; None when there is none."""
    if code not in codes():
        return None
    return (FOLDER / (code + SUFFIX)).read_text("utf-8")
