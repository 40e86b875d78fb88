"""What builds of one policy with different values have in common: clauses that name no value.

A fleet builds a policy again for each site. A clause that looks up no parameter and no `let`,
and of which nothing is found, comes to the same each time; so it is read once.
"""

from collections.abc import Callable
from typing import TypeVar

from tcc.passes.reader import Reader
from tcc.syntax.tree import Clause

T = TypeVar("T")


def once(reader: Reader, clause: Clause, read: Callable[[Reader, Clause], T]) -> T:
    """Return what `read` makes of a clause, or has made of it in a build before.

    `read` must not change the context but for findings.
    """
    kept = reader.context.kept
    if kept is None:
        return read(reader, clause)
    if clause in kept:
        return kept[clause]  # type: ignore[no-any-return]
    before = len(reader.context.found), reader.values.met
    made = read(reader, clause)
    if before == (len(reader.context.found), reader.values.met):
        kept[clause] = made
    return made
