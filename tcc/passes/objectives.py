"""`objective "text" { ... }`: where it is measured, under which load, for how long."""

from typing import Any

from tcc import language
from tcc.diagnostics import Fix
from tcc.ir import Objective, Path, Requirement, WorkloadUse
from tcc.passes.blocks import clauses_of
from tcc.passes.context import Definition, Kind, listed, nearest
from tcc.passes.links import need_block
from tcc.passes.reader import Operands, Reader
from tcc.passes.requirements import Scope, Subjects, read_requirement
from tcc.syntax.tree import Binary, Clause, Operand, Symbol, Word


def read_objective(
    reader: Reader, clause: Clause, path: Path, subjects: Subjects
) -> Objective | None:
    """Read one objective over the links, tiers and workloads of a policy.

    Codes: missing-clause, missing-link, unknown-link, unknown-testbed, unknown-workload and
    those of requirements.
    """
    return ObjectiveReader(reader, clause, path, subjects).run()


class ObjectiveReader:
    """Reads one objective; the order of its clauses does not matter."""

    def __init__(self, reader: Reader, clause: Clause, path: Path, subjects: Subjects) -> None:
        self.reader = reader
        self.context = reader.context
        self.clause = clause
        self.path = path
        self.subjects = subjects
        self.values: dict[str, Any] = {"under": (), "require": ()}
        self.uses: list[WorkloadUse] = []

    def run(self) -> Objective | None:
        """Read head and block."""
        operands = Operands(self.reader, self.clause, language.TOP["objective"].syntax)
        operand = operands.take("a text that says what is wanted")
        operands.end()
        block = need_block(self.reader, self.clause)
        if operand is None:
            return None
        text = self.reader.text(operand, "the text of an objective")
        self.context.spans[self.path] = operand.span
        self.values["text"] = text or ""
        requirements: list[Clause] = []
        for clause in clauses_of(self.context, block, "an objective") if block else ():
            if clause.word.text == "require":
                requirements.append(clause)
            else:
                _READERS[clause.word.text](
                    self, Operands(self.reader, clause, language.OBJECTIVE[clause.word.text].syntax)
                )
        self.values["require"] = self._requirements(requirements)
        if block is not None:
            self._complete(operand)
        return Objective(**self.values)

    def _requirements(self, clauses: list[Clause]) -> tuple[Requirement, ...]:
        scope = Scope(self.subjects, self._link(), tuple(use.name for use in self.uses))
        read: list[Requirement] = []
        for clause in clauses:
            requirement = read_requirement(
                self.reader, clause, (*self.path, "require", len(read)), scope
            )
            if requirement is not None:
                read.append(requirement)
        return tuple(read)

    def _link(self) -> int | None:
        """Return the index of the link that is meant; None when that is not clear."""
        name = self.values.get("link")
        if name is None:
            return 0 if len(self.subjects.links) == 1 else None
        definition = self.context.tables[Kind.LINK].get(str(name))
        return int(definition.path[1]) if definition and definition.path else None

    def _complete(self, head: Operand) -> None:
        span = head.span
        if not self.uses and (*self.path, "under") not in self.context.spans:
            self.context.missing(
                "missing-clause", span, "the objective names no load", "write: under rrul for 20s"
            )
        if not self.values["require"] and not self.context.found:
            self.context.missing(
                "missing-clause", span, "the objective requires nothing",
                "write: require ping latency p99 <= 60ms",
            )  # fmt: skip
        links = self.context.tables[Kind.LINK]
        if (*self.path, "link") not in self.context.spans and len(links) != 1:
            self.context.missing(
                "missing-link",
                span,
                "the objective does not say which link it is about",
                f"write `over` and one of {listed(links)}" if links else "the policy has no link",
            )

    def _name(self, operands: Operands, kind: Kind, field: str) -> None:
        word = operands.take_word(f"the name of a {kind}")
        operands.end()
        if word is None:
            return
        self.context.spans[*self.path, field] = word.span
        if find(self.reader, word, kind) is not None:
            self.values[field] = word.text

    def on(self, operands: Operands) -> None:
        """`on TESTBED`."""
        self._name(operands, Kind.TESTBED, "testbed")

    def over(self, operands: Operands) -> None:
        """`over LINK`."""
        self._name(operands, Kind.LINK, "link")

    def under(self, operands: Operands) -> None:
        """`under WORKLOAD [N flows] [from N hosts] [+ WORKLOAD ...] [for D] [rtt D]`.

        Counts belong to the workload they follow.
        """
        self.context.spans[*self.path, "under"] = operands.span
        flat = Operands(
            self.reader, operands.clause, operands.syntax, tuple(_split(operands.clause.operands))
        )
        self._use(flat)
        while True:
            if flat.accept("+"):
                self._use(flat)
            elif flat.accept("for"):
                self._duration(flat, "duration")
            elif flat.accept("rtt"):
                self._duration(flat, "rtt")
            else:
                break
        flat.end()
        self.values["under"] = tuple(self.uses)

    def _use(self, operands: Operands) -> None:
        word = operands.take_word("the name of a workload")
        if word is None:
            return
        if word.text not in language.PREDEFINED_WORKLOADS:
            find(self.reader, word, Kind.WORKLOAD)
        path = (*self.path, "under", len(self.uses))
        self.context.spans[path] = word.span
        values: dict[str, Any] = {"name": word.text}
        while (operand := operands.peek()) is not None:
            hosts = operands.accept("from") is not None
            if not hosts and (isinstance(operand, Symbol) or operands.word() in ("for", "rtt")):
                break
            count = operands.take("how many hosts")
            field, units = ("hosts", ("host", "hosts")) if hosts else ("flows", ("flow", "flows"))
            if count is None or not operands.expect(*units, *(() if hosts else ("call", "calls"))):
                break
            value = self.reader.count(count)
            self.context.spans[*path, field] = count.span
            if value is None:
                self.context.unknown.add((*path, field))
            elif field in values:
                self.context.error("duplicate-operand", count.span, f"{units[1]} are given twice")
            else:
                values[field] = value
        self.uses.append(WorkloadUse(**values))

    def _duration(self, operands: Operands, field: str) -> None:
        operand = operands.take("a duration")
        if operand is None:
            return
        path = (*self.path, field)
        if path in self.context.spans:
            self.context.error("duplicate-operand", operand.span, f"the {field} is given twice")
        self.context.spans[path] = operand.span
        value = self.reader.duration(operand)
        if value is None:
            self.context.unknown.add(path)
        else:
            self.values[field] = value


def find(reader: Reader, word: Word, kind: Kind) -> Definition | None:
    """Return what a name stands for and count the use; an error when there is no such name."""
    table = reader.context.tables[kind]
    definition = table.get(word.text)
    if definition is not None:
        definition.uses.append(word.span)
        return definition
    known = [*table, *(language.PREDEFINED_WORKLOADS if kind is Kind.WORKLOAD else ())]
    near = nearest(word.text, known)
    reader.context.missing(
        _UNKNOWN[kind],
        word.span,
        f"there is no {kind} `{word.text}`",
        f"there are {listed(known)}" if known else "the policy defines none",
        fix=Fix(f"write `{near}`", word.span, near, safe=False) if near else None,
    )
    return None


_UNKNOWN = {
    Kind.PROFILE: "unknown-profile",
    Kind.LINK: "unknown-link",
    Kind.WORKLOAD: "unknown-workload",
    Kind.TESTBED: "unknown-testbed",
}


def _split(operands: tuple[Operand, ...]) -> list[Operand]:
    """Take `a + b` apart, which the tree joins: here `+` stands between workloads."""
    flat: list[Operand] = []
    for operand in operands:
        waiting = [operand]
        while waiting:
            part = waiting.pop()
            if isinstance(part, Binary) and part.op == "+":
                gap = part.left.span.end
                plus = Symbol(part.span.between(gap, part.right.span.start), "+")
                waiting += (part.right, plus, part.left)
            else:
                flat.append(part)
    return flat


_READERS = {
    "on": ObjectiveReader.on,
    "over": ObjectiveReader.over,
    "under": ObjectiveReader.under,
}
