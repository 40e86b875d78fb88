r"""Text from files made safe to print, and how wide it is on a terminal.

A policy or a file name may hold escape sequences that would act on the terminal, and marks
that change the direction of text. They are printed as `\x1b` and `\u202e`.
"""

import re

_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]"
)
_TAB = "    "


def escape(character: str) -> str:
    """Return a name in ASCII for one character."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def visible(text: str) -> str:
    """Return `text` on one line, with nothing in it that acts on a terminal."""
    return _UNSAFE.sub(lambda match: escape(match[0]), text)


def columns(text: str) -> str:
    """Return a line of a file as it is shown: tabs are four blanks wide."""
    return visible(text.replace("\t", _TAB))


def width(text: str) -> int:
    """Return how many columns of a terminal `text` takes, all of it visible."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width  # noqa: PLC0415 (start-up time)

    def one(character: str) -> int:
        if category(character) in ("Mn", "Me", "Cf"):
            return 0
        return 2 if east_asian_width(character) in ("W", "F") else 1

    return sum(map(one, text))
