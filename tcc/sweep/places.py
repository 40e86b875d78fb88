"""Where a parameter stands in a policy, and how a value is written there.

A parameter is the name of a `let` or `param`; the word `workload`, for what objectives run under;
or a path such as `wan.egress.bandwidth`: a link, profile or testbed, blocks in it, a clause. What
is there is replaced; a clause that is not there is added. All else of the text stays as it is.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tcc import language
from tcc.diagnostics import Diagnostic, Fix, error
from tcc.passes import Built, Definition, Kind
from tcc.passes.context import close_to, listed
from tcc.source import Source, Span
from tcc.sweep.axes import Axis
from tcc.syntax.tree import Block, Clause, Symbol, Word

WORKLOAD = "workload"
BLOCKS = (Kind.LINK, Kind.PROFILE, Kind.TESTBED)
QUOTED = ("device", "text")


@dataclass(frozen=True, slots=True)
class Place:
    """One stretch of text that a value replaces.

    Attributes:
        span: of the text; empty where something is added.
        write: returns what stands there for a value.
    """

    span: Span
    write: Callable[[str], str]


Found = Sequence[Place] | Diagnostic


def places(built: Built, axis: Axis) -> Found:
    """Return where an axis' values go, or why there is no such place. Codes: sweep-param."""
    if not built.trees:
        return error(
            "sweep-param", axis.span, f"`{axis.name}` cannot vary: the policy is JSON",
            "JSON has no names and no clauses to write a value into: sweep a .tcc file",
        )  # fmt: skip
    names = {one.name: one for kind in (Kind.LET, Kind.PARAM) for one in built.named(kind)}
    if axis.name in names:
        place = _of_name(names[axis.name])
        return [place] if place else _unknown(built, axis)
    if axis.name == WORKLOAD:
        return list(_of_workloads(built)) or error(
            "sweep-param", axis.span, "no objective has a workload to vary",
            "the policy has no objective",
        )  # fmt: skip
    if "." in axis.name:
        return _of_path(built, axis)
    return _unknown(built, axis)


def edits(found: Sequence[Place], value: str) -> list[Fix]:
    """Return the edits that write one value."""
    return [Fix(f"write `{value}`", place.span, place.write(value)) for place in found]


def splice(source: Source, fixes: Sequence[Fix]) -> Source:
    """Return a text with edits in it. They do not overlap; of two at one place, both count."""
    text = source.text
    here = [fix for fix in fixes if fix.span.path == source.path]
    for fix in sorted(here, key=lambda fix: (fix.span.start, fix.span.end), reverse=True):
        text = text[: fix.span.start] + fix.text + text[fix.span.end :]
    return Source(source.path, text)


# ------------------------------------------------------------------ names


def _of_name(definition: Definition) -> Place | None:
    """Return the place of the value of a `let`, or of the default of a `param`."""
    clause = definition.clause
    if clause is None or not clause.operands:
        return None
    quoted = any(isinstance(one, Word) and one.text in QUOTED for one in clause.operands[1:])
    show = partial(_quote, quoted=quoted and definition.kind is Kind.PARAM)
    for number, operand in enumerate(clause.operands):
        if isinstance(operand, Symbol) and operand.text == "=":
            following = clause.operands[number + 1 :]
            return Place(following[0].span.to(following[-1].span), show) if following else None
    end = clause.operands[-1].span.end
    return Place(clause.span.between(end, end), lambda value: f" = {show(value)}")


def _quote(value: str, *, quoted: bool) -> str:
    return f'"{value}"' if quoted and not value.startswith('"') else value


def _of_workloads(built: Built) -> Iterator[Place]:
    """Yield the words of each `under` that name its load, without `for` and `rtt`."""
    for tree in built.trees:
        for clause in tree.clauses:
            if clause.word.text != "objective" or clause.block is None:
                continue
            for inner in clause.block.clauses:
                if inner.word.text == "under" and inner.operands:
                    yield Place(_load_span(inner), str)


def _load_span(under: Clause) -> Span:
    last = under.operands[0]
    for operand in under.operands:
        if isinstance(operand, Word) and operand.text in ("for", "rtt"):
            break
        last = operand
    return under.operands[0].span.to(last.span)


# ------------------------------------------------------------------ paths


def _of_path(built: Built, axis: Axis) -> Found:
    name, *inner = axis.name.split(".")
    owner = next(
        (one for kind in BLOCKS for one in built.named(kind) if one.name == name and one.clause),
        None,
    )
    block = owner.clause.block if owner and owner.clause else None
    if owner is None or block is None or not all(inner):
        return _unknown(built, axis)
    in_direction = inner[0] in language.DIRECTIONS and len(inner) > 1
    around = [block, *_inside(block, inner[:-1])]
    whole = len(around) == len(inner) or (in_direction and len(inner) == 2)
    if inner[in_direction] not in _words(owner.kind, inner[0]) or not whole:
        return _unknown(built, axis)
    text = built.sources[block.span.path].text
    if len(inner) == 1:
        return [_in_block(text, block, inner), *_overruled(text, block, inner[0])]
    return [_in_block(text, block, inner)]


def _inside(block: Block, path: Sequence[str]) -> Iterator[Block]:
    """Yield the blocks that a path leads through, as far as they are there."""
    for word in path:
        inner = _block_of(block, word)
        if inner is None:
            return
        block = inner
        yield block


def _words(kind: Kind, first: str) -> Collection[str]:
    """Return the clauses that a path may name."""
    if kind is Kind.TESTBED:
        return language.TESTBED
    return language.SHAPING if first in language.DIRECTIONS else language.LINK


def _overruled(text: str, block: Block, clause: str) -> list[Place]:
    """Return the places in a link's own directions that say otherwise than the link."""
    return [
        _in_block(text, inner, [clause])
        for direction in language.DIRECTIONS
        if (inner := _block_of(block, direction)) and _clause_of(inner, clause)
    ]


def _in_block(text: str, block: Block, path: Sequence[str]) -> Place:
    """Return the place of a clause in a block, or in blocks of it; what is missing is added."""
    head, *rest = path
    clause = _clause_of(block, head)
    if rest:
        if clause is not None and clause.block is not None:
            return _in_block(text, clause.block, rest)
        [last] = rest  # of a direction that is not there
        return _added(text, block, lambda value: f"{head} {{ {last} {value} }}")
    if clause is None:
        return _added(text, block, lambda value: f"{head} {value}")
    if clause.operands:
        return Place(clause.operands[0].span.to(clause.operands[-1].span), str)
    end = clause.word.span.end
    return Place(clause.word.span.between(end, end), lambda value: f" {value}")


def _added(text: str, block: Block, write: Callable[[str], str]) -> Place:
    """Return the place of a new clause: the last one of its block, laid out as the others are."""
    span = block.span
    brace = span.end - 1
    line = text.rfind("\n", 0, brace) + 1
    if line > span.start and not text[line:brace].strip():  # the brace has a line of its own
        indent = text[line:brace] + "    "
        if block.clauses:
            first = block.clauses[-1].span.start
            beginning = text.rfind("\n", 0, first) + 1
            indent = text[beginning:first] if not text[beginning:first].strip() else indent
        return Place(span.between(line, line), lambda value: f"{indent}{write(value)}\n")
    if not block.clauses:
        return Place(span.between(span.start + 1, brace), lambda value: f" {write(value)} ")
    end = block.clauses[-1].span.end
    return Place(span.between(end, end), lambda value: f"; {write(value)}")


def _clause_of(block: Block, word: str) -> Clause | None:
    return next((one for one in block.clauses if one.word.text == word), None)


def _block_of(block: Block, word: str) -> Block | None:
    clause = _clause_of(block, word)
    return clause.block if clause else None


# ------------------------------------------------------------------ what there is


def _unknown(built: Built, axis: Axis) -> Diagnostic:
    known = list(parameters(built))
    return error(
        "sweep-param", axis.span, f"the policy has nothing to vary that is called `{axis.name}`",
        *filter(None, [close_to(axis.name, known)]), f"it has {listed(known, 12)}",
    )  # fmt: skip


def parameters(built: Built) -> Iterator[str]:
    """Yield what can vary: names, then clauses of links and testbeds that the policy has."""
    for kind in (Kind.LET, Kind.PARAM):
        yield from (one.name for one in built.named(kind))
    for kind in BLOCKS:
        for one in built.named(kind):
            if one.clause is not None and one.clause.block is not None:
                yield from _clauses(one.name, one.clause.block)
    if any(True for _ in _of_workloads(built)):
        yield WORKLOAD


def _clauses(before: str, block: Block) -> Iterator[str]:
    for clause in block.clauses:
        word = f"{before}.{clause.word.text}"
        if clause.word.text in language.DIRECTIONS and clause.block is not None:
            yield from _clauses(word, clause.block)
        elif clause.operands and clause.word.text not in ("device", "tier"):
            yield word
