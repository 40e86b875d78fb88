"""Characters that have no business in a policy: what cannot be seen, and what misleads.

Control characters can hide text on a terminal, and the direction marks of Unicode can make
a line read otherwise than it is (CVE-2021-42574); both are errors wherever they stand.
"""

import re
from collections.abc import Iterator
from itertools import chain

from tcc.diagnostics import Diagnostic, Fix, error
from tcc.source import Source, Span

_ODD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
_RETURN = re.compile(r"\r(?!\n)")

# Outside strings and comments these stand for blanks or nothing, mostly after copying
# from a web page.
INVISIBLE = {
    "\u00a0": ("a no-break space", " "),
    "\u00ad": ("a soft hyphen", ""),
    "\u2007": ("a figure space", " "),
    "\u200b": ("a zero-width space", ""),
    "\u200c": ("a zero-width non-joiner", ""),
    "\u200d": ("a zero-width joiner", ""),
    "\u200e": ("a left-to-right mark", ""),
    "\u200f": ("a right-to-left mark", ""),
    "\u202f": ("a narrow no-break space", " "),
    "\u2060": ("a word joiner", ""),
    "\u3000": ("an ideographic space", " "),
    "\ufeff": ("a byte order mark", ""),
}

# Look-alikes of the language's own signs, as word processors put them.
LOOK_ALIKES = {
    "\u201c": '"',
    "\u201d": '"',
    "\u201e": '"',
    "\u00ab": '"',
    "\u00bb": '"',
    "\u2018": '"',
    "\u2019": '"',
    "'": '"',
    "`": '"',
    "\u2010": "-",
    "\u2011": "-",
    "\u2012": "-",
    "\u2013": "-",
    "\u2014": "-",
    "\u2212": "-",
    "\u00d7": "*",
    "\u00f7": "/",
    "\u2264": "<=",
    "\u2265": ">=",
    "\u2026": "..",
    "\uff1b": ";",
    "\uff0c": ",",
}


def is_odd(character: str) -> bool:
    """Whether `odd_characters` reports this one."""
    return character == "\r" or _ODD.match(character) is not None


def name_of(character: str) -> str:
    """Return a name for a character that cannot be shown as itself."""
    if character == "\0":
        return "a NUL byte"
    if character == "\r":
        return "a carriage return without a line feed"
    if character == "\x1b":
        return "an escape character"
    return f"the invisible character U+{ord(character):04X}"


def odd_characters(source: Source) -> Iterator[Diagnostic]:
    """Yield `control-character` for each run of characters that no policy may have."""
    returns = _RETURN.finditer(source.text) if "\r" in source.text else ()
    for match in chain(_ODD.finditer(source.text), returns):
        span = Span(source.path, match.start(), match.end())
        fix = Fix("take it out", span, "")
        if match[0] == "\r":
            fix = Fix("end the line", span, "\n")
        message = f"{name_of(match[0][0])} is not allowed"
        if len(match[0]) > 1:
            message += f" (and {len(match[0]) - 1} more behind it)"
        yield error("control-character", span, message, fix=fix)
