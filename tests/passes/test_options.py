"""Options of a qdisc, read as any plugin may declare them."""

from fractions import Fraction
from typing import Annotated, Literal

import pytest
from pydantic import Field, model_validator

from tcc.ir import Options, QdiscChoice
from tcc.ir.base import BitRate, Bytes, Nanoseconds, Ratio
from tcc.passes.context import Context
from tcc.passes.fieldtype import FieldType, field_types
from tcc.passes.options import OptionBlock
from tcc.passes.reader import Reader
from tcc.passes.values import Values
from tcc.plugin import Word
from tcc.source import Source
from tcc.syntax.parser import parse
from tcc.units import Dimension


class Strange(Options):
    """Every kind of field that a plugin may declare."""

    rate: BitRate | None = None
    size: Bytes | Literal["auto"] | None = None
    wait: Annotated[Nanoseconds, Field(le=10**9)] | None = None
    share: Ratio | None = None
    flows: Annotated[int, Field(ge=1, le=1024)] | None = None
    nat: bool | None = None
    mode: Literal["a-mode", "b-mode"] | None = None
    label: str | None = None
    limit: Bytes | int | None = None
    inner: QdiscChoice | None = None

    @model_validator(mode="after")
    def _fit_together(self):
        if self.rate and self.flows:
            raise ValueError("Rate and flows do not go together")
        return self


class Plugin:
    kind = "strange"
    options_model = Strange
    inner_only = False
    words = {  # noqa: RUF012
        **{word: Word(word) for word in Strange.__dataclass_fields__},
        "nonat": Word("nat", False),
        "lan": Word("wait", 1_000_000),
    }


def read(text):
    source = Source("policy.tcc", f"strange {{\n{text}\n}}\n")
    tree, found = parse(source)
    assert found == []
    context = Context(sources={"policy.tcc": source})
    [clause] = tree.clauses
    block = OptionBlock(Reader(context, Values(context)), Plugin(), clause.word)
    options = block.run(clause.block)
    return options, [
        (item.code, source.text[item.span.start : item.span.end], item.message)
        for item in context.found
    ]


def test_types_are_recognised_from_annotations():
    assert field_types(Strange) == {
        "rate": FieldType((Dimension.RATE,)),
        "size": FieldType((Dimension.SIZE,), ("auto",)),
        "wait": FieldType((Dimension.DURATION,)),
        "share": FieldType((Dimension.PERCENT,)),
        "flows": FieldType((Dimension.COUNT,)),
        "nat": FieldType(truth=True),
        "mode": FieldType(words=("a-mode", "b-mode")),
        "label": FieldType(text=True),
        "limit": FieldType((Dimension.SIZE, Dimension.COUNT)),
        "inner": FieldType(qdisc=True),
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rate 5mbit + 1mbit", {"rate": 6_000_000}),
        ("size 64KiB", {"size": 65_536}),
        ("size -4B", {"size": -4}),
        ("size auto", {"size": "auto"}),
        ("wait 20ms", {"wait": 20_000_000}),
        ("lan", {"wait": 1_000_000}),
        ("share 95%", {"share": Fraction(95, 100)}),
        ("flows 0x10", {"flows": 16}),
        ("nat on", {"nat": True}),
        ("nat off", {"nat": False}),
        ("nonat", {"nat": False}),
        ("mode b-mode", {"mode": "b-mode"}),
        ('label "x y"', {"label": "x y"}),
        ("limit 100", {"limit": 100}),
        ("limit 100KB", {"limit": 100_000}),
        ("inner bfifo", {"inner": QdiscChoice(kind="bfifo")}),
        ("", {}),
    ],
)
def test_values(text, expected):
    assert read(text) == (Strange(**expected), [])


@pytest.mark.parametrize(
    ("text", "code", "words", "message"),
    [
        ("flows 0", "invalid-option", "0", "`flows` of `strange`: input should be greater"),
        ("wait 2s", "invalid-option", "2s", "`wait` of `strange`: input should be less"),
        ("rate 5mbit; flows 3", "invalid-option", "strange",
         "the options of `strange`: rate and flows do not go together"),
        ("nat; nonat", "missing-operand", "nat", "`nat` lacks `on` or `off`"),
        ("mode c-mode", "unknown-value", "c-mode", "`c-mode` is not `a-mode` or `b-mode`"),
        ("mode 5", "expected-word", "5", "expected `a-mode` or `b-mode`"),
        ("size atuo", "unknown-value", "atuo", "`atuo` is not a size or `auto`"),
        ("limit 5mbit", "dimension-mismatch", "5mbit", "expected a size"),
        ("label x", "unquoted-text", "x", "a text is written in quotes"),
        ("nonat off", "unexpected-operand", "off", "this does not belong to `nonat`"),
        ("inner cake_q", "unknown-qdisc", "cake_q", "no plugin knows a qdisc `cake_q`"),
        ("inner 5", "expected-word", "5", "expected a kind of qdisc here"),
        ("inner", "missing-operand", "inner", "`inner` lacks a kind of qdisc"),
        ("rates 5mbit", "unknown-option", "rates", "`strange` has no option `rates`"),
        ("rate 5mbit { x }", "unexpected-block", "rate", "`rate` takes no block"),
    ],
)  # fmt: skip
def test_mistakes(text, code, words, message):
    options, found = read(text)
    assert options is None
    assert found[0][:2] == (code, words)
    assert found[0][2].startswith(message)


def test_two_words_for_one_field():
    _, found = read("nonat\nnat on")
    assert found == [("duplicate-option", "nat", "`nat` sets again what `nonat` has set")]
