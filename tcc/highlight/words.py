"""The coloured words by kind, and patterns that Python and Oniguruma read alike.

The words come from `tcc.language`, so a new clause is coloured without a line here. The options
in a qdisc's own block belong to its plugin, and are not words of the language.
"""

import re

from tcc import language

BEFORE, BEHIND = r"(?<![\w.-])", r"(?![\w]|[.-]\w)"
"""A word stands by itself: hyphens and dots inside belong to it (grammar/policy.lark)."""

COMMENT = r"#[^\n]*"
STRING = r'"(?:[^"\\\n]|\\[^\n])*"'
ADDRESS = (
    r"[0-9]+(?:\.[0-9]+){3}(?:/[0-9]+)?(?!\w)"
    r"|(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)[0-9A-Fa-f:]+(?:\.[0-9]+){0,3}(?:/[0-9]+)?"
)
NUMBER = (
    r"(?:(?<![\w)\"%])-)?(?:0[xX][0-9A-Fa-f]+"
    r"|[0-9]+(?:\.[0-9]+)?(?:(?:[KkMmGgTt]i?)?(?:[Bb][Ii][Tt]|B/s|B)|ns|us|ms|s|min|h|%)?)"
    r"(?![\w%]|\.(?!\.))"
)
"""A number with one of the units of grammar/units.lark; others stay plain, as a sign."""
OPERATOR = r"\.\.|[<>]=|[-=:+*/,]"
NAME = r"[A-Za-z_]\w*(?:[.-]\w+)*"

CLAUSES = frozenset(
    word for block in (*language.BLOCKS.values(), language.CONDITIONS) for word in block
)
"""Words that start a clause or a condition."""
OPERATORS = frozenset({"of", "prefer"})
FUNCTIONS = frozenset({"min", "max"})
TYPES = frozenset(language.PARAM_TYPES)
"""Types of parameters; only behind a colon, since they are good names too."""


def _of_syntax() -> frozenset[str]:
    """Return the words that the syntax of some clause shows in small letters."""
    found: set[str] = set()
    for block in (*language.BLOCKS.values(), language.CONDITIONS):
        for entry in block.values():
            shown = entry.syntax.partition(", or ")[0]  # behind it, prose
            found.update(re.findall(r'(?<![\w".-])[a-z][a-z0-9_-]*', shown))
    return frozenset(found)


VALUES = (
    (
        _of_syntax()
        | language.RESERVED_VALUES
        | language.RESERVED_SUBJECTS
        | frozenset((*language.STATISTICS, *language.TINS, *language.PREDEFINED_WORKLOADS))
        | frozenset(language.CONGESTION_CONTROLS)
    )
    - CLAUSES
    - OPERATORS
    - TYPES
)
"""Words that stand behind the word of a clause."""


def any_of(words: frozenset[str]) -> str:
    """Return a pattern for whole words, longer ones first."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return f"{BEFORE}(?:{'|'.join(map(re.escape, ordered))}){BEHIND}"


CALL = rf"{BEFORE}(?:max|min)(?=[ \t]*\()"
TYPE = rf":[ \t]*(?:{'|'.join(sorted(TYPES))})(?=[ \t]*(?:=|;|#|$))"
