"""The first pass over clauses: sort them by word, and enter every name that is defined."""

from collections.abc import Iterable

from tcc import language
from tcc.ir import Path
from tcc.passes.blocks import WITH_BLOCK, check_prefer, refuse_block, unknown_clause
from tcc.passes.context import Context, Definition, Kind
from tcc.passes.reader import Operands, Reader
from tcc.passes.tiers import check_subject_name
from tcc.passes.values import Values
from tcc.syntax.tree import Clause, Word

TOP = "a policy"


def sort_clauses(context: Context, clauses: Iterable[Clause]) -> dict[str, list[Clause]]:
    """Return the clauses of all files by word, in the order of the text.

    Codes: unknown-clause, misplaced-clause, unexpected-block, misplaced-prefer.
    """
    sorted_: dict[str, list[Clause]] = {word: [] for word in language.TOP}
    for clause in clauses:
        word = clause.word.text
        kept = sorted_.get(word)
        if kept is None:
            unknown_clause(context, clause, TOP, language.TOP)
            continue
        if clause.prefer is not None:
            check_prefer(context, clause, TOP)
        if clause.block is not None and word not in WITH_BLOCK:
            refuse_block(context, clause)
        kept.append(clause)
    return sorted_


class Names:
    """Enters definitions; what they stand for is read by other passes."""

    def __init__(self, reader: Reader) -> None:
        self.reader = reader
        self.context = reader.context
        self.values: Values = reader.values
        self.profiles: dict[int, Word] = {}
        """By the identity of a link's clause: the profile it names."""

    def value_name(self, kind: Kind, clause: Clause, operands: Operands) -> Definition | None:
        """Read the name of a `let` or `param`; both live in one table of names.

        Codes: reserved-name, duplicate-name.
        """
        word = operands.take_word("a name")
        if word is None:
            return None
        if word.text in language.RESERVED_VALUES:
            self.context.error(
                "reserved-name",
                word.span,
                f"a {kind} cannot be called `{word.text}`",
                "a clause takes that word as a value of its own",
            )
        other = Kind.LET if kind is Kind.PARAM else Kind.PARAM
        first = self.context.tables[other].get(word.text)
        if first is not None:
            self.context.error(
                "duplicate-name",
                word.span,
                f"`{word.text}` is already the name of a {other}",
                "rename one of them",
                related=[("first defined here", first.span)],
            )
            return None
        return self.context.define(kind, word, clause)

    def let(self, clause: Clause) -> None:
        """`let NAME = value`."""
        operands = Operands(self.reader, clause, language.TOP["let"].syntax)
        definition = self.value_name(Kind.LET, clause, operands)
        if not operands.named:
            return  # there is no name, and that has been said
        value = operands.take("a value") if operands.expect("=") else None
        operands.end()
        if definition is None:
            return
        if value is None:
            self.values.settled[definition.name] = None
        else:
            self.values.lets[definition.name] = value

    def block_name(self, kind: Kind, clause: Clause, path: Path) -> bool:
        """Read the head of a `profile`, `link`, `workload` or `testbed`."""
        operands = Operands(self.reader, clause, language.TOP[clause.word.text].syntax)
        word = operands.take_word("a name")
        if word is not None and kind is Kind.LINK and operands.accept(":"):
            profile = operands.take_word("the name of a profile")
            if profile is not None:
                self.profiles[id(clause)] = profile
        operands.end()
        if word is None:
            return False
        if kind is Kind.WORKLOAD:
            self._check_workload(word)
        return self.context.define(kind, word, clause, path) is not None

    def _check_workload(self, word: Word) -> None:
        check_subject_name(self.reader, word, "a workload")
        if word.text in language.PREDEFINED_WORKLOADS:
            self.context.error(
                "duplicate-name", word.span, f"`{word.text}` is a predefined workload",
                "its definition is flent's: choose another name",
            )  # fmt: skip
