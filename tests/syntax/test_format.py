"""`tcc fmt`: one layout that keeps the meaning, the comments, and itself."""

from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings

from tcc.source import Source, Span
from tcc.syntax.format import format
from tcc.syntax.parser import parse
from tcc.syntax.tree import Number, Tree
from tests.syntax.policy_texts import policies

POLICIES = sorted((Path(__file__).parents[1] / "data/policies").glob("*.tcc"))


def read(text: str) -> Tree:
    tree, found = parse(Source("p.tcc", text))
    assert found == []
    return tree


def meaning(node: object) -> object:
    """A node without its spans, and its numbers without their spelling."""
    if isinstance(node, tuple) and not isinstance(node, Span):
        return tuple(meaning(part) for part in node)
    if isinstance(node, Number):
        return node.amount, node.dimension
    if is_dataclass(node) and not isinstance(node, type):
        kept = [each.name for each in fields(node) if each.name != "span"]
        return type(node), *(meaning(getattr(node, name)) for name in kept)
    return "prefer" if isinstance(node, Span) else node


def commented(text: str) -> list[tuple[str, str]]:
    """Each line that carries a comment: its code without blanks, and the comment."""
    tree = read(text)
    lines = []
    for comment in tree.comments:
        start = text.rfind("\n", 0, comment.span.start) + 1
        code = text[start : comment.span.start]
        lines.append((squeeze(code), comment.text))
    return lines


def squeeze(code: str) -> str:
    """Code without what `fmt` may change in it: blanks, separators at its ends, spelling."""
    return "".join(code.split()).strip(";").replace(";}", "}").lower()


@pytest.mark.slow
@given(policies)
@settings(max_examples=50, deadline=None)
def test_properties(text: str) -> None:
    tree = read(text)
    result = format(tree)
    again = read(result)
    assert meaning(again.clauses) == meaning(tree.clauses)
    assert [c.text for c in again.comments] == [c.text for c in tree.comments]
    assert [c.own_line for c in again.comments] == [c.own_line for c in tree.comments]
    assert format(again) == result
    assert commented(result) == commented(text)  # no such line is joined or split
    assert result == "" or result.endswith("\n")
    assert not result.endswith("\n\n")
    assert "\n\n\n" not in result
    assert "{\n\n" not in result
    for line in result.splitlines():
        assert line == line.rstrip()
        assert (len(line) - len(line.lstrip(" "))) % 4 == 0


@pytest.mark.parametrize("path", POLICIES, ids=lambda path: path.stem)
def test_samples(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    result = format(read(text))
    assert max(map(len, result.splitlines())) <= 100
    assert meaning(read(result).clauses) == meaning(read(text).clauses)
    assert commented(result) == commented(text)


def test_aligns_values_of_adjacent_clauses() -> None:
    text = "link a {\ndevice 'x'\nrtt lan\n\nack-filter on\ngso split\negress { rtt 1ms }\n}\n"
    assert format(read(text.replace("'", '"'))) == (
        'link a {\n    device "x"\n    rtt    lan\n\n    ack-filter on\n    gso        split\n'
        "    egress     { rtt 1ms }\n}\n"
    )


def test_very_long_words_stick_out() -> None:
    text = "testbed t {\nnic 1gbit\ninterrupt-interval 170us\nqueues 4\n}"
    assert format(read(text)) == (
        "testbed t {\n    nic    1gbit\n    interrupt-interval 170us\n    queues 4\n}\n"
    )


def test_aligns_names_at_the_top() -> None:
    text = "let a = 1mbit\nlet long = 2mbit\nparam x:rate\nlet b = 3mbit"
    assert format(read(text)) == (
        "let a    = 1mbit\nlet long = 2mbit\nparam x : rate\nlet b = 3mbit\n"
    )


def test_blocks_at_the_top_are_set_apart() -> None:
    text = (
        "let a = 1\nlink x {\nrtt lan\n}\n# about y\nlink y {\nrtt lan\n}\n"
        "tier v { match udp }\ntier w { match tcp }"
    )
    assert format(read(text)) == (
        "let a = 1\n\nlink x {\n    rtt lan\n}\n\n# about y\nlink y {\n    rtt lan\n}\n\n"
        "tier v { match udp }\ntier w { match tcp }\n"
    )


def test_a_block_too_long_for_its_line_is_opened() -> None:
    conditions = "; ".join(f"match udp remote port {port}" for port in range(5000, 5004))
    text = f"tier voice {{ {conditions} }}"
    assert len(text) > 100
    lines = format(read(text)).splitlines()
    assert lines[0] == "tier voice {"
    assert lines[1] == "    match udp remote port 5000"
    assert lines[-1] == "}"


def test_a_long_list_goes_on_in_the_next_line() -> None:
    ports = ", ".join(str(port) for port in range(10000, 10030))
    result = format(read(f"tier a {{\nmatch udp remote port {ports}\n}}"))
    lines = result.splitlines()
    assert len(lines) == 5
    assert lines[1].endswith(",")
    assert lines[2].startswith("        100")
    assert max(map(len, lines)) <= 100


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("100Mbit", "100mbit"),
        ("1GBIT", "1gbit"),
        ("12.5mB/s", "12.5MB/s"),
        ("64kiB", "64KiB"),
        ("1500B", "1500B"),
        ("0XfF", "0xff"),
        ("20ms", "20ms"),
        ("-4B", "-4B"),
        ("1.50mbit", "1.50mbit"),
        ("95%", "95%"),
    ],
)
def test_units_have_one_spelling(written: str, kept: str) -> None:
    assert format(read(f"a {written}")) == f"a {kept}\n"


def test_operators_and_symbols() -> None:
    text = "m a<=1ms 0x10/0xff x+y (a*b)-c 1 ..2 a , b max ( 1,2 )"
    text = text.replace("-c", " - c")
    assert format(read(text)) == "m a <= 1ms 0x10/0xff x + y (a * b) - c 1..2 a, b max(1, 2)\n"


def test_empty_files_and_blocks() -> None:
    assert format(read("")) == ""
    assert format(read("\n\n# only this\n\n\n")) == "# only this\n"
    assert format(read("a {\n\n}\nb { # c\n}\n")) == "a {}\n\nb {  # c\n}\n"
