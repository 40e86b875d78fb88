"""`testbed NAME { ... }`: the machine and the path that a prediction assumes."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tcc import language
from tcc.ir import Testbed
from tcc.passes.blocks import clauses_of
from tcc.passes.context import Definition
from tcc.passes.links import need_block
from tcc.passes.reader import Operands, Reader, operands_span
from tcc.syntax.tree import Operand, Word

PROFILES = Path(__file__).parent.parent / "data" / "cost-profiles.json"


@cache
def profile_names() -> dict[str, tuple[str, ...]]:
    """Return the names that `kernel` and `host` take, from tcc/data/cost-profiles.json."""
    import json  # noqa: PLC0415  (few policies name a profile)

    profiles = json.loads(PROFILES.read_text("utf-8"))
    return {
        "kernel": (*profiles["kernel_profiles"], *profiles["cake_mq_kernels"]),
        "host": tuple(profiles["hosts"]),
    }


def read_testbed(reader: Reader, definition: Definition) -> Testbed:
    """Read one testbed; its places are entered at the definition's path.

    Codes: unknown-profile and those of values.
    """
    context, clause = reader.context, definition.clause
    assert clause is not None
    block = need_block(reader, clause)
    path = definition.path
    context.spans[path] = definition.span
    values: dict[str, Any] = {"name": definition.name}
    for inner in clauses_of(context, block, "a testbed") if block else ():
        word = inner.word.text
        field = word.replace("-", "_")
        operands = Operands(reader, inner, language.TESTBED[word].syntax)
        value = _READERS[word](reader, operands)
        operands.end()
        place = (*path, field)
        context.spans[place] = operands_span(inner)
        if value is None:
            context.unknown.add(place)
        else:
            values[field] = value
    return Testbed(**values)


TestbedReader = Callable[[Reader, Operands], object | None]


def _one(what: str, read: Callable[[Reader, Operand], object | None]) -> TestbedReader:
    def reading(reader: Reader, operands: Operands) -> object | None:
        operand = operands.take(what)
        return None if operand is None else read(reader, operand)

    return reading


def _words(word: str) -> TestbedReader:
    def reading(_: Reader, operands: Operands) -> object | None:
        return operands.choose(language.TESTBED[word].values, f"a value of `{word}`")

    return reading


def _cost_profile(which: str) -> TestbedReader:
    def reading(reader: Reader, operands: Operands) -> object | None:
        operand = operands.take("the name of a profile")
        if operand is None:
            return None
        names = profile_names()[which]
        if isinstance(operand, Word) and reader.values.definition(operand.text) is None:
            name: str | None = operand.text
        else:
            name = reader.text(operand, "the name of a profile")
        if name is None or name in names:
            return name
        reader.unknown_word(
            Word(operand.span, name), names, f"a {which} profile", "unknown-cost-profile"
        )
        return None

    return reading


def _bql(reader: Reader, operands: Operands) -> object | None:
    if operands.accept("auto"):
        return "auto"
    if not operands.expect("auto", "max"):
        return None
    operand = operands.take("a size")
    return None if operand is None else reader.size(operand)


def _defer_limit(reader: Reader, operands: Operands) -> object | None:
    if operands.accept("none"):
        return "none"
    operand = operands.take("a count, or `none`")
    return None if operand is None else reader.count(operand)


_READERS: dict[str, TestbedReader] = {
    "kernel": _cost_profile("kernel"),
    "host": _cost_profile("host"),
    "cpus": _one("a count", lambda reader, operand: reader.count(operand, 1, 4096)),
    "queues": _one("a count", lambda reader, operand: reader.count(operand, 1, 4096)),
    "queue-map": _words("queue-map"),
    "nic": _one("a rate", Reader.rate),
    "interrupt-interval": _one("a duration", Reader.duration),
    "bql": _bql,
    "ring": _one("a count", Reader.count),
    "defer-limit": _defer_limit,
    "socket-backpressure": _words("socket-backpressure"),
    "beyond": _one("a rate", Reader.rate),
    "loss": _one("a ratio", Reader.ratio),
    "jitter": _one("a duration", Reader.duration),
}
