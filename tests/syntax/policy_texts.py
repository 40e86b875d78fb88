"""Hypothesis strategies for policies as text: any layout and any comments the language allows."""

from hypothesis import strategies as st

LETTERS = "abdefgxyzABQ_"
words = st.one_of(
    st.sampled_from(
        [
            "wan",
            "per-host",
            "sync_up",
            "p99.9",
            "cs5",
            "egress",
            "online",
            "off",
            "minimum",
            "prefers",
        ]
    ),
    st.text(LETTERS, min_size=3, max_size=8),
).filter(lambda word: word not in {"prefer", "of", "min", "max"})

units = st.sampled_from(
    ["", "bit", "kbit", "Mbit", "GBIT", "kibit", "B", "kB", "MB/s", "miB", "KIB", "ns", "min", "%"]
)
digits = st.integers(0, 10**9).map(str)
numbers = st.one_of(
    st.builds("{}{}{}".format, st.sampled_from(["", "-"]), digits, units),
    st.builds("{}.{}{}".format, digits, digits, units),
    st.integers(0, 2**32).map(hex),
    st.sampled_from(["0XFF", "007"]),
)
strings = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zl", "Zp", "Cf"]), max_size=12
).map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
addresses = st.one_of(
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map(str),
    st.ip_addresses(v=4).map(lambda address: f"{address}/24"),
    st.sampled_from(["::/0", "fe80::1/64", "2001:DB8::1"]),
)
atoms = st.one_of(words, numbers, strings, addresses)


@st.composite
def line_ends(draw: st.DrawFn) -> str:
    """Draw blanks that may hold line ends and comments, as behind `,` or an operator."""
    if draw(st.integers(0, 5)):
        return draw(st.sampled_from(["", " ", "\t ", "\n", " \n\n  ", "\r\n"]))
    return draw(comments()) + draw(st.sampled_from(["", "  ", "\n"]))


@st.composite
def comments(draw: st.DrawFn) -> str:
    """Draw a comment to the end of its line."""
    text = draw(
        st.sampled_from(
            ["", " hi", ' { ; } "', "!", " tcc: allow this because it is a test", "# ä"]
        )
    )
    return f" #{text}\n"


@st.composite
def values(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw a value: an atom, or atoms with operators, brackets and calls."""
    shape = draw(st.integers(0, 9)) if depth else 0
    if shape < 6:
        return draw(atoms)
    left, right = draw(values(depth - 1)), draw(values(depth - 1))
    if shape < 8:
        gap = draw(line_ends()) or " "
        return left + " " + draw(st.sampled_from(["+", "-", "*", "/", "of"])) + gap + " " + right
    if shape == 8:
        return f"({draw(line_ends())}{left}{draw(st.sampled_from(['', ' ', chr(10)]))})"
    name = draw(st.sampled_from(["min", "max", "min "]))
    return f"{name}({draw(line_ends())}{left},{draw(line_ends())}{right})"


@st.composite
def operands(draw: st.DrawFn) -> str:
    """Draw one operand of a clause: a value, a range, a list, a symbol with a value."""
    shape = draw(st.integers(0, 6))
    if shape < 3:
        return draw(values())
    if shape == 3:
        blank = draw(st.sampled_from(["", " "]))
        return f"{draw(values(1))} ..{blank}{draw(line_ends())}{draw(values(1))}"
    if shape == 4:
        items = draw(st.lists(values(1), min_size=2, max_size=20))
        return items[0] + "".join(f",{draw(line_ends())}{item}" for item in items[1:])
    return draw(st.sampled_from(["=", ":", ">=", "<="])) + draw(line_ends()) + " " + draw(values())


@st.composite
def clauses(draw: st.DrawFn, depth: int = 2) -> str:
    """Draw a clause without its end."""
    parts = [draw(words), *draw(st.lists(operands(), max_size=4))]
    if draw(st.integers(0, 7)) == 0:
        parts.insert(0, "prefer")
    text = parts[0] + "".join(draw(st.sampled_from([" ", "  ", "\t"])) + part for part in parts[1:])
    if depth and draw(st.integers(0, 2)) == 0:
        text += " {" + draw(blocks(depth - 1)) + "}"
    return text


@st.composite
def blocks(draw: st.DrawFn, depth: int) -> str:
    """Draw what stands between braces, or in a file."""
    text = draw(st.sampled_from(["", " ", "\n", "\n\n", " # first\n"]))
    for clause in draw(st.lists(clauses(depth), max_size=4)):
        end = draw(
            st.sampled_from(
                [";", "; ", "\n", "\n", "\n\n\n", " ;\n", "\r\n", "\n# own\n", "\n\n  # tcc: x\n"]
            )
        )
        text += clause + (draw(comments()) if draw(st.integers(0, 4)) == 0 else end)
    return text


policies = blocks(2)
