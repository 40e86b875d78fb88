"""From text to tree.

The text becomes tokens (`lexer`), an automaton reads them by the tables of
`grammar/policy.lark` (`automaton`), each rule makes a node (`nodes`). Bad text never stops
the parser: `recovery` reports what is wrong with a clause, keeps what could be read of it
and goes on. Nothing here is recursive, so no depth of nesting exhausts the stack.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from tcc.diagnostics import Diagnostic, note
from tcc.source import Source
from tcc.syntax.automaton import Automaton
from tcc.syntax.characters import odd_characters
from tcc.syntax.layout import close_blocks
from tcc.syntax.lexer import tokens
from tcc.syntax.nodes import Nodes
from tcc.syntax.recovery import Recovery
from tcc.syntax.tree import Comment, Tree

MOST_FOUND = 1000


def parse(source: Source) -> tuple[Tree, list[Diagnostic]]:
    """Return the tree of what could be understood, and everything wrong with the rest.

    A clause with an error in it is in the tree with a `Broken` operand, so that later
    stages need not report it as missing. At most `MOST_FOUND` errors are returned; a note
    `errors-left-out` says how many more there are.
    """
    tree, found, closed = _read(source)
    if not closed:
        tree, found, _ = _read(source, by_layout=True)
    found += odd_characters(source)
    found.sort(key=lambda item: item.span or 0)
    if len(found) > MOST_FOUND:
        rest = f"{len(found) - MOST_FOUND} more errors are not shown"
        found[MOST_FOUND:] = [note("errors-left-out", found[MOST_FOUND].span, rest)]
    return tree, found


def _read(source: Source, by_layout: bool = False) -> tuple[Tree, list[Diagnostic], bool]:
    """Parse once; the last part of the answer is whether all blocks were closed."""
    found: list[Diagnostic] = []
    comments: list[Comment] = []
    nodes = Nodes(source, found)
    automaton = Automaton(nodes)
    recovery = Recovery(source, nodes, automaton, found)
    stream = tokens(source.text, source.path, comments)
    if by_layout:
        stream = close_blocks(source, stream, found)
    with _uncollected():
        clauses = automaton.run(stream, recovery.recover)
    tree = Tree(source, tuple(clauses), tuple(comments))
    return tree, found, automaton.depth == 0


@contextmanager
def _uncollected() -> Iterator[None]:
    """Keep the cycle collector from going through a tree that grows, again and again.

    A tree has no cycles, so there is nothing to find; in a long file the search would cost
    a third of the time, and more than in proportion to the file.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()
