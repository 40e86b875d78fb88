"""From `grammar/policy.lark` to the tables that the parser runs on.

Lark reads the grammar and works out the LALR(1) tables; they are written down in
`tables.py`, which is checked in. A run of `tcc` needs the tables alone: importing lark and
building them again would take longer than everything else that `tcc lint` does. A test
fails when the file is not what the grammar says. After a change of the grammar:

    python -m tcc.syntax.grammar
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from lark import Lark, Token
from lark.grammar import Rule
from lark.parsers.lalr_analysis import Shift

_States = dict[int, dict[str, tuple[Any, Any]]]

HERE = Path(__file__).parent
TABLES = HERE / "tables.py"


class LineEnds:
    """Lark's hook behind the lexer: turns line ends, `;` and `}` into END.

    It says in lark's terms what `lexer.py` does in ours, so that the grammar is complete
    and can be tried with lark alone.
    """

    always_accept = ("NEWLINE", "SEMICOLON", "RBRACE")
    goes_on = frozenset(
        ("COMMA", "RANGE", "PLUS", "MINUS", "STAR", "SLASH", "OF", "SYMBOL", "LPAR", "CALL")
    )
    closed = frozenset(("END", "LBRACE"))

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """Yield the tokens of `stream` with END in the place of line ends."""
        previous = "END"
        for token in stream:
            kind = token.type
            if kind not in ("NEWLINE", "SEMICOLON"):
                if kind == "RBRACE" and previous not in self.closed:
                    yield Token("END", "")
                yield token
                previous = kind
            elif previous not in self.closed and (
                kind == "SEMICOLON" or previous not in self.goes_on
            ):
                yield Token.new_borrow_pos("END", "", token)
                previous = "END"
        if previous not in self.closed:
            yield Token("END", "")


def grammar_folder() -> Path:
    """Return the folder of the grammar: beside the package's modules or in a checkout."""
    for folder in (HERE.parent / "grammar", HERE.parents[1] / "grammar"):
        if (folder / "policy.lark").is_file():
            return folder
    raise FileNotFoundError("grammar/policy.lark")


def build() -> Lark:
    """Return lark's parser for the language (about 80 ms)."""
    return Lark.open(
        str(grammar_folder() / "policy.lark"),
        parser="lalr",
        lexer="contextual",
        postlex=LineEnds(),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )


def _pattern(lark: Lark) -> tuple[list[str], str]:
    """Return the terminals in the order lark tries them, and one expression for all."""
    terminals = lark.parser.lexer.lexer.root_lexer.terminals
    patterns = {item.name: item.pattern.to_regexp() for item in terminals}
    blank = patterns.pop("BLANK")
    shapes = "|".join(f"({pattern})" for pattern in patterns.values())
    return list(patterns), f"{blank.removesuffix('+')}*(?:{shapes})"


class _Table(NamedTuple):
    """The LALR table with its states numbered in the order they are reached."""

    actions: list[list[int]]
    gotos: list[list[int]]


def _makes(rule: Rule) -> str:
    """Return the name of what `rule` makes; empty when it passes its one symbol on."""
    return rule.alias or ("" if rule.options.expand1 else rule.origin.name)


def _beyond(states: _States, state: int, to: int) -> int:
    """Return where a step from `state` to `to` ends up.

    A state that can do nothing but reduce by a rule that makes nothing is passed through
    here, once for all, and not at every value of every policy.
    """
    while True:
        (what, rule), *others = set(states[to].values()) or {(Shift, None)}
        if others or what is Shift or _makes(rule) or len(rule.expansion) != 1:
            return to
        to = states[state][rule.origin.name][1]


def _table(lark: Lark, kinds: dict[str, int], origins: list[str]) -> _Table:
    """Copy lark's table; its own numbers of states change from run to run."""
    table = lark.parser.parser._parse_table
    rules = list(lark.rules)
    symbols = [*kinds, *origins]
    order = [table.start_states["start"]]
    numbers = {order[0]: 0}
    actions, gotos = [], []
    for state in order:
        action, goto = [0] * (len(kinds) + 1), [0] * len(origins)
        for symbol in sorted(table.states[state].keys() & set(symbols), key=symbols.index):
            what, to = table.states[state][symbol]
            if what is not Shift:
                action[kinds[symbol]] = -1 - rules.index(to)
                continue
            to = _beyond(table.states, state, to)
            if to not in numbers:
                numbers[to] = len(order)
                order.append(to)
            if symbol in kinds:
                action[kinds[symbol]] = numbers[to]
            else:
                goto[origins.index(symbol)] = numbers[to]
        actions.append(action)
        gotos.append(goto)
    return _Table(actions, gotos)


def _rows(name: str, comment: str, kind: str, rows: Iterable[object]) -> list[str]:
    """Return the lines of one table."""
    return ["", comment, f"{name}: {kind} = (", *(f"    {row}," for row in rows), ")"]


def generate() -> str:
    """Return the text of `tables.py` for the grammar as it is now."""
    lark = build()
    terminals, pattern = _pattern(lark)
    kinds = {name: number for number, name in enumerate([*terminals, "END"], start=1)}
    origins = list(dict.fromkeys(rule.origin.name for rule in lark.rules))
    table = _table(lark, kinds, origins)
    rules = []
    for rule in lark.rules:
        origin, size = origins.index(rule.origin.name), len(rule.expansion)
        rules.append(f'("{_makes(rule)}", {origin}, {size})')
    lines = [
        '"""Tables made from grammar/policy.lark by `python -m tcc.syntax.grammar`."""',
        "",
        "# ruff: noqa: E501",
        "# fmt: off",
        "",
        "# The terminals, by number: the group of PATTERN that matches each.",
        *(f"{name} = {number}" for name, number in kinds.items()),
        "",
        f"PATTERN = {json.dumps(pattern)}",
        "",
        "# The nonterminal that lists of clauses reduce to.",
        f"CLAUSES = {origins.index('clauses')}",
    ]
    grid = "tuple[tuple[int, ...], ...]"
    comment = "# ACTIONS[state][terminal]: shift to that state, reduce by rule -1 - n, or 0."
    lines += _rows("ACTIONS", comment, grid, map(tuple, table.actions))
    comment = "# GOTOS[state][nonterminal]: the state after a reduction."
    lines += _rows("GOTOS", comment, grid, map(tuple, table.gotos))
    comment = "# For each rule what it makes (empty: its one symbol as it is), nonterminal, size."
    lines += _rows("RULES", comment, "tuple[tuple[str, int, int], ...]", rules)
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    TABLES.write_text(generate(), encoding="utf-8")
