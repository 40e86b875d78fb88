"""HTML written so that nothing in it can be taken for markup by mistake.

`tag("p", "a < b")` escapes its text; what is `Markup` already is taken as it is.  Attributes
are named as HTML does, with `_` for `-` and a `_` behind Python's own words; True stands for one
without a value, None and False for none.
"""

import json
from collections.abc import Iterable
from html import escape
from typing import Any

from tcc.visible import visible

VOID = frozenset({"meta", "link", "input", "br", "col", "rect", "line", "path", "circle"})
"""Elements that hold nothing; those of SVG are written as empty ones."""
SHAPES = frozenset({"rect", "line", "path", "circle"})

Attribute = str | int | bool | None


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = str | Iterable["Child"] | None


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """Return an element."""
    words = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{words}/>" if name in SHAPES else f"<{name}{words}>")
    return Markup(f"<{name}{words}>{join(children)}</{name}>")


def join(children: Child) -> Markup:
    """Return children one after the other, escaped where they are not markup."""
    if children is None:
        return Markup("")
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(escape(_lines(children)))
    return Markup("".join(map(join, children)))


def data(value: Any) -> Markup:  # noqa: ANN401
    """Return a value as JSON that no HTML can end: to stand within a `script` element."""
    text = json.dumps(value, separators=(",", ":"), sort_keys=True)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    word = name.rstrip("_").replace("_", "-")
    return f" {word}" if value is True else f' {word}="{escape(_lines(str(value)))}"'


def _lines(text: str) -> str:
    """Show what acts on a terminal or on the direction of text; keep ends of lines."""
    return text if text.isascii() and text.isprintable() else "\n".join(
        visible(line).replace("\\x09", "\t") for line in text.split("\n")
    )  # fmt: skip
