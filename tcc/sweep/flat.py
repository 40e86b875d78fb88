"""A policy and what it includes as one text, which any machine can read."""

import os

from tcc.passes import Built
from tcc.source import Source
from tcc.syntax.tree import Text, Tree


def flat(built: Built) -> Source:
    """Return the policy's text with each `include` replaced by the file that it stands for.

    A file stands where it is included first, as when the policy is built.
    """
    first, *others = built.trees
    included = {tree.source.path: tree for tree in others}
    return Source(first.source.path, _text(first, included))


def _text(tree: Tree, included: dict[str, Tree]) -> str:
    text, parts, at = tree.source.text, [], 0
    for clause in tree.clauses:
        if clause.word.text != "include" or not isinstance(clause.operands[0], Text):
            continue
        parts.append(text[at : clause.span.start])
        at = clause.span.end
        path = _path(tree.source.path, clause.operands[0].value)
        if path in included:
            parts.append(_text(included.pop(path), included).rstrip())
    return "".join((*parts, text[at:]))


def _path(includer: str, name: str) -> str:
    return os.path.normpath(os.path.join(os.path.dirname(includer), name))
