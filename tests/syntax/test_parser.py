"""The parser: what each construct becomes, and that no text whatever stops it."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tcc.diagnostics import Diagnostic
from tcc.source import Source, Span
from tcc.syntax.parser import MOST_FOUND, parse
from tcc.syntax.tree import (
    Address,
    Binary,
    Block,
    Broken,
    Call,
    Clause,
    Group,
    Many,
    Number,
    Operand,
    Symbol,
    Text,
    Tree,
    Word,
)

POLICIES = sorted((Path(__file__).parents[1] / "data/policies").glob("*.tcc"))


def show(operand: Operand) -> object:
    """An operand as nested tuples, to be compared with what was written by hand."""
    match operand:
        case Word(text=text) | Address(text=text) | Symbol(text=text):
            return text
        case Text(value=value):
            return f'"{value}"'
        case Number(amount=amount, dimension=dimension):
            return (str(dimension), amount)
        case Binary(op=op, left=left, right=right):
            return (op, show(left), show(right))
        case Call(name=name, arguments=arguments):
            return (name.text, *map(show, arguments))
        case Group(inner=inner):
            return ("()", show(inner))
        case Many(items=items):
            return [show(item) for item in items]
        case Broken():
            return "?"


def outline(clauses: tuple[Clause, ...]) -> list[object]:
    lines: list[object] = []
    for clause in clauses:
        word = f"prefer {clause.word.text}" if clause.prefer else clause.word.text
        line: list[object] = [word, *map(show, clause.operands)]
        if clause.block:
            line.append({"block": outline(clause.block.clauses)})
        lines.append(line)
    return lines


def rate(amount: int) -> tuple[str, Fraction]:
    return ("rate", Fraction(amount))


def count(amount: int) -> tuple[str, Fraction]:
    return ("count", Fraction(amount))


def size(amount: int) -> tuple[str, Fraction]:
    return ("size", Fraction(amount))


def ms(amount: int) -> tuple[str, Fraction]:
    return ("duration", Fraction(amount * 10**6))


def percent(amount: int) -> tuple[str, Fraction]:
    return ("percent", Fraction(amount, 100))


M = 10**6
CONSTRUCTS: list[tuple[str, list[object]]] = [
    ("let x = 100mbit", ["let", "x", "=", rate(100 * M)]),
    ("param up : rate = 10mbit", ["param", "up", ":", "rate", "=", rate(10 * M)]),
    ("param port:device", ["param", "port", ":", "device"]),
    ('include "a.tcc"', ["include", '"a.tcc"']),
    ("link wan : office {}", ["link", "wan", ":", "office", {"block": []}]),
    (
        "bandwidth 10mbit within 2mbit..30mbit",
        ["bandwidth", rate(10 * M), "within", ("..", rate(2 * M), rate(30 * M))],
    ),
    ("bandwidth 95% of sync_up", ["bandwidth", ("of", percent(95), "sync_up")]),
    ("framing pppoe-ptm + vlan", ["framing", ("+", "pppoe-ptm", "vlan")]),
    ("framing a + b + c", ["framing", ("+", ("+", "a", "b"), "c")]),
    ("match mark 0x10/0xff", ["match", "mark", ("/", count(16), count(255))]),
    (
        "match udp remote port 5060..5061, 16384..32767",
        [
            *("match", "udp", "remote", "port"),
            [("..", count(5060), count(5061)), ("..", count(16384), count(32767))],
        ],
    ),
    ("match dscp cs5, cs6, 0x2e", ["match", "dscp", ["cs5", "cs6", count(46)]]),
    ("gso split above 8KiB", ["gso", "split", "above", size(8192)]),
    (
        "gso split when bandwidth <= 1gbit",
        ["gso", "split", "when", "bandwidth", "<=", rate(1000 * M)],
    ),
    (
        "require voice induced-latency p99.9 <= 10ms",
        ["require", "voice", "induced-latency", "p99.9", "<=", ms(10)],
    ),
    (
        "workload crowd { tcp upload 16 flows from 1 host; voip 2 calls }",
        [
            *("workload", "crowd"),
            {
                "block": [
                    ["tcp", "upload", count(16), "flows", "from", count(1), "host"],
                    ["voip", count(2), "calls"],
                ]
            },
        ],
    ),
    (
        "under rrul + voip 4 flows for 20s rtt 40ms",
        [
            *("under", ("+", "rrul", "voip"), count(4), "flows", "for", ms(20_000)),
            *("rtt", ms(40)),
        ],
    ),
    ('kernel "linux-7.3"', ["kernel", '"linux-7.3"']),
    ("interrupt-interval 170us", ["interrupt-interval", ("duration", Fraction(170_000))]),
    ('device matching "wan*"', ["device", "matching", '"wan*"']),
    (
        "tcp upload 16 flows 1gbit each payload 1470B",
        ["tcp", "upload", count(16), "flows", rate(1000 * M), "each", "payload", size(1470)],
    ),
    (
        "address 2001:db8::1, 10.0.0.0/8, ::/0, fe80::a:b/64",
        ["address", ["2001:db8::1", "10.0.0.0/8", "::/0", "fe80::a:b/64"]],
    ),
    ("overhead -4B", ["overhead", size(-4)]),
    ("prefer gso split", ["prefer gso", "split"]),
    ("online on", ["online", "on"]),
    ("prefers offer", ["prefers", "offer"]),
    ("of-x of_y", ["of-x", "of_y"]),
    ("a b - c * d", ["a", ("-", "b", ("*", "c", "d"))]),
    ("a b - c - d", ["a", ("-", ("-", "b", "c"), "d")]),
    ("a 95% of b - 2mbit", ["a", ("-", ("of", percent(95), "b"), rate(2 * M))]),
    ("a x-2 -4B", ["a", "x-2", size(-4)]),
    ("a (b - c) * 2", ["a", ("*", ("()", ("-", "b", "c")), count(2))]),
    ("a min(b, c * 2)", ["a", ("min", "b", ("*", "c", count(2)))]),
    ("a max (min(b, c), d)", ["a", ("max", ("min", "b", "c"), "d")]),
    ("a min b", ["a", "min", "b"]),
    ("a b..c+1", ["a", ("..", "b", ("+", "c", count(1)))]),
    ("a 10.0.0.1..10.0.0.9", ["a", ("..", "10.0.0.1", "10.0.0.9")]),
    (r'a "q\"u\\o"', ["a", r'"q"u\o"']),
    ("a b,\n  c, # comment\n\n  d", ["a", ["b", "c", "d"]]),
    ("a b +\n c", ["a", ("+", "b", "c")]),
    ("a min(\n b,\n c\n)", ["a", ("min", "b", "c")]),
    ("a (\r\n b\r\n)", ["a", ("()", "b")]),
    ("a b =\n c", ["a", "b", "=", "c"]),
]


@pytest.mark.parametrize(("text", "expected"), CONSTRUCTS, ids=[text for text, _ in CONSTRUCTS])
def test_construct(text: str, expected: list[object]) -> None:
    tree, found = parse(Source("p.tcc", text))
    assert found == []
    assert outline(tree.clauses) == [expected]


def test_ends_of_clauses() -> None:
    text = "\ufeffa b; c d;;\r\n\r\n e { f 1; g { h 2 }\n i 3; } \n\n;j k # end"
    tree, found = parse(Source("p.tcc", text))
    assert found == []
    assert outline(tree.clauses) == [
        ["a", "b"],
        ["c", "d"],
        ["e", {"block": [["f", count(1)], ["g", {"block": [["h", count(2)]]}], ["i", count(3)]]}],
        ["j", "k"],
    ]
    assert [(c.text, c.own_line) for c in tree.comments] == [("# end", False)]


def test_spans_are_of_what_was_written() -> None:
    text = "prefer qdisc tbf {\n  burst 95% of max(a, b), (c) # x\n}\n"
    tree, _ = parse(Source("p.tcc", text))

    def at(node: Clause | Block | Operand) -> str:
        return text[node.span.start : node.span.end]

    outer = tree.clauses[0]
    assert outer.prefer
    assert text[outer.prefer.start : outer.prefer.end] == "prefer"
    assert at(outer) == text[7:-1]
    assert outer.block
    assert at(outer.block) == text[17:-1]
    inner = outer.block.clauses[0]
    assert at(inner) == "burst 95% of max(a, b), (c)"
    many = inner.operands[0]
    assert isinstance(many, Many)
    assert at(many) == "95% of max(a, b), (c)"
    assert [at(item) for item in many.items] == ["95% of max(a, b)", "(c)"]


def test_what_was_understood_of_a_broken_clause_is_kept() -> None:
    text = (
        "link wan : 5x {\n  bandwidth 10Mbps\n  prefer rtt lan + ; tiers a, , b {\n    x 1\n  }\n"
        "  = 3\n  gso split\n}\nlink lan ( {\n  gso keep\n}\n"
    )
    tree, found = parse(Source("p.tcc", text))
    assert outline(tree.clauses) == [
        [
            *("link", "wan", ":", "?"),
            {
                "block": [
                    ["bandwidth", "?"],
                    ["prefer rtt", "lan", "?"],
                    ["tiers", "a", "?", {"block": [["x", count(1)]]}],
                    ["gso", "split"],
                ]
            },
        ],
        ["link", "lan", "?", {"block": [["gso", "keep"]]}],
    ]
    assert [item.code for item in found] == [
        *("number-unit", "number-unit", "value-missing", "value-missing"),
        *("clause-word-missing", "value-missing"),
    ]


def test_a_missing_brace_costs_one_error() -> None:
    text = "link wan {\n egress {\n  rtt lan\n\nlink lan {\n rtt lan\n}\ntier a { match udp }\n"
    tree, found = parse(Source("p.tcc", text))
    assert [item.code for item in found] == ["block-unclosed"]
    assert [clause.word.text for clause in tree.clauses] == ["link", "link", "tier"]


def test_errors_at_the_end_point_behind_the_text() -> None:
    for text in ("let x =", "let x = (", "link wan {", "link wan {\n"):
        _, found = parse(Source("p.tcc", text))
        assert [item.span for item in found] == [Span("p.tcc", len(text), len(text))]


def check(text: str) -> tuple[Tree, list[Diagnostic]]:
    """Parse, and hold that every span lies inside the text."""
    tree, found = parse(Source("p.tcc", text))
    for span in spans(tree, found):
        assert span.path == "p.tcc"
        assert 0 <= span.start <= span.end <= len(text)
    return tree, found


def spans(tree: Tree, found: list[Diagnostic]) -> Iterator[tuple[str, int, int]]:
    for item in found:
        assert item.span is not None
        yield item.span
        yield from (fix.span for fix in item.fixes)
        yield from (span for _, span in item.related)
    yield from (comment.span for comment in tree.comments)
    for clause in tree.walk():
        yield clause.span
        yield from (operand.span for operand in clause.operands)


@given(st.text())
@settings(max_examples=150, deadline=None)
def test_no_text_stops_the_parser(text: str) -> None:
    check(text)


SIGNS = st.sampled_from(
    [
        *(
            "a",
            " ",
            "\n",
            "{",
            "}",
            "(",
            ")",
            ",",
            ";",
            "=",
            ">=",
            ":",
            "..",
            "+",
            " - ",
            "*",
            "of ",
        ),
        *("prefer ", "min(", '"', '"x"', "5", "5mbit", "5 ms", "10.0.0.1", "::1", "#", "\\", "%"),
        *("link ", "prefer", "\r\n"),
    ]
)


@given(st.lists(SIGNS, max_size=40).map("".join))
@settings(max_examples=250, deadline=None)
def test_no_order_of_signs_stops_the_parser(text: str) -> None:
    check(text)


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_no_change_of_a_policy_stops_the_parser(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(POLICIES)).read_text(encoding="utf-8")
    for _ in range(data.draw(st.integers(1, 6))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.sampled_from([start, start + 1, start + 5, start + 50]))
        text = text[:start] + data.draw(SIGNS) + text[end:]
    check(text)


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_samples_have_no_errors_and_each_cut_of_them_is_survived(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert check(text)[1] == []
    for end in range(0, len(text), 7):
        check(text[:end])


@pytest.mark.parametrize(
    "text",
    [
        "a {" * 10_000,
        "a {" * 10_000 + "}" * 10_000,
        "a " + "(" * 10_000 + "1" + ")" * 10_000,
        "{" * 10_000,
        "a min(" * 10_000,
        "a " + "1+" * 10_000 + "1",
        "}" * 10_000,
        "a 1.." * 10_000,
    ],
    ids=["open", "braces", "parentheses", "bare", "calls", "chain", "closed", "ranges"],
)
def test_nothing_is_nested_too_deep_to_answer(text: str) -> None:
    tree, found = check(text)
    assert found
    assert repr(tree.clauses)  # what recurses into the tree can: nothing deep is in it


def test_the_number_of_errors_is_bounded() -> None:
    _, found = check("= 5\n" * (MOST_FOUND + 500))
    assert len(found) == MOST_FOUND + 1
    assert found[-1].code == "errors-left-out"
    assert found[-1].message == "500 more errors are not shown"


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    ["a b c\n", "a 5Mbps\n", "a (\n", "= {\n", "a 1, ", 'a "\n'],
    ids=["clauses", "numbers", "parentheses", "blocks", "list", "strings"],
)
def test_time_grows_no_faster_than_the_text(unit: str) -> None:
    def cost(times: int) -> float:
        best = 9.0
        for _ in range(3):
            start = process_time()
            parse(Source("p.tcc", unit * times))
            best = min(best, process_time() - start)
        return best

    assert cost(8_000) < 3 * 4 * cost(2_000)  # a quadratic would be 16 times as much
