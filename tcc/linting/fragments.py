"""Fragments: files that are only ever included, and may use names that others define."""

import re
from collections.abc import Iterable

from tcc.diagnostics import Diagnostic

ABSENT = frozenset({
    "missing-link", "unknown-link", "unknown-name", "unknown-profile", "unknown-subject",
    "unknown-testbed", "unknown-workload",
})  # fmt: skip
"""Findings about names that the policy around a fragment may define."""

_LINK = re.compile(r'^[^#"\n]*\blink\b', re.MULTILINE)


def has_link(text: str) -> bool:
    """Whether a policy in the language defines a link; without one it does nothing by itself.

    A word in a comment does not count; `link` as a name of something does, which only means
    that the file is looked at by itself.
    """
    return _LINK.search(text) is not None


def without_absent(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings without those about names that are not defined."""
    return [item for item in found if item.code not in ABSENT]
