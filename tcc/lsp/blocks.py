"""Which words a block takes: the language's own, or those of the qdisc whose block it is."""

from collections.abc import Sequence
from typing import NamedTuple

from tcc import language
from tcc.plugin import PluginError, qdisc
from tcc.syntax.tree import Clause, Word

TOP = "a policy"
OPTIONS = "options of "
"""How the name of the block of a qdisc's own options begins."""
_BLOCKS = {
    "link": "a link", "profile": "a profile", "tier": "a tier", "workload": "a workload",
    "testbed": "a testbed", "objective": "an objective", "egress": "egress", "ingress": "ingress",
    "framing": "framing", "backpressure": "backpressure",
}  # fmt: skip


class Head(NamedTuple):
    """The word that opens a block, and the word behind it."""

    word: str
    next: str = ""


def block_of(outer: Sequence[Clause]) -> str:
    """Return what messages call the innermost block of these clauses."""
    heads = []
    for clause in outer:
        first = clause.operands[0] if clause.operands else None
        heads.append(Head(clause.word.text, first.text if isinstance(first, Word) else ""))
    return block_called(heads)


def block_called(heads: Sequence[Head]) -> str:
    """Return the name of the innermost of open blocks; empty where it is not known."""
    if not heads:
        return TOP
    head = heads[-1]
    if head.word in ("qdisc", "inner"):
        return OPTIONS + head.next
    return _BLOCKS.get(head.word, "")


def entries(block: str) -> dict[str, language.Entry]:
    """Return the words of a block."""
    if not block.startswith(OPTIONS):
        return language.BLOCKS.get(block, {})
    kind = block.removeprefix(OPTIONS)
    try:
        words = qdisc(kind).words
    except (KeyError, PluginError):
        return {}
    about = f"an option of {kind}, as in tc-{kind.replace('_', '-')}(8)"
    return {word: language.Entry(word, about, word) for word in words}
