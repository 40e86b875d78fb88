"""Interface names: what the kernel takes for one."""

from tcc.passes.reader import Reader
from tcc.syntax.tree import Operand

LONGEST = 15  # IFNAMSIZ - 1


def name_problem(name: str) -> str | None:
    """Say why the kernel would not take `name` (net/core/dev.c, dev_valid_name), or None.

    Control characters are refused as well: they have no business in a terminal.
    """
    if not name:
        return "an interface name is not empty"
    if len(name.encode()) > LONGEST:
        return f"an interface name has at most {LONGEST} bytes"
    if name in (".", ".."):
        return f"`{name}` cannot be an interface name"
    if any(letter in "/:" or letter.isspace() or not letter.isprintable() for letter in name):
        return "an interface name has no blanks, `/` or `:`"
    return None


def read_name(reader: Reader, operand: Operand) -> str | None:
    """Read a quoted interface name. Codes: invalid-device, unquoted-text."""
    name = reader.text(operand, "an interface name")
    problem = name_problem(name) if name is not None else None
    if problem:
        reader.context.error("invalid-device", operand.span, problem)
        return None
    return name


def read_pattern(reader: Reader, operand: Operand) -> str | None:
    """Read a pattern of interface names with `*` and `?`."""
    pattern = reader.text(operand, "a pattern of interface names")
    if pattern is None:
        return None
    problem = name_problem(pattern.replace("*", "") or "x")
    if problem:
        reader.context.error("invalid-device", operand.span, problem)
        return None
    if not set("*?") & set(pattern):
        reader.context.error(
            "invalid-device", operand.span, "a pattern has a `*` or a `?`",
            "without `matching` this names one device",
        )  # fmt: skip
        return None
    return pattern
