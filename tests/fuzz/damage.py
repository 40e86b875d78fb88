"""What becomes of a good input on a bad way: cut off, bytes changed, numbers at the ends of types.

The same input and seed give the same damage.
"""

import random
import re
from collections.abc import Iterator

NUMBER = re.compile(rb"-?\d+")
EXTREMES = [
    b"0", b"-1", b"1", b"65535", b"65536", b"2147483647", b"-2147483648", b"4294967295",
    b"4294967296", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616",
    b"1e999", b"9" * 40, b"9" * 5000, "\N{SUPERSCRIPT TWO}".encode(),
]  # fmt: skip
BYTES = [b"\x00", b"\xff", b"\x1b", b"\r", b"'", b'"', b"{", b"}", b"$", b"\xe2\x80\xae"]
KINDS = ("cut off", "a byte changed", "a part twice", "a number at the end of a type")


def damaged(data: bytes, count: int, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield `count` damaged copies of `data`, each with the kind of damage, in turn of `KINDS`."""
    chance = random.Random(seed)
    numbers = list(NUMBER.finditer(data))
    for turn in range(count):
        kind = KINDS[turn % len(KINDS)]
        at = chance.randrange(len(data) + 1)
        match kind:
            case "cut off":
                yield kind, data[:at]
            case "a byte changed":
                yield kind, data[:at] + chance.choice(BYTES) + data[at + 1 :]
            case "a part twice":
                end = min(len(data), at + chance.randrange(64))
                yield kind, data[:end] + data[at:]
            case _ if numbers:
                found = chance.choice(numbers)
                yield kind, data[: found.start()] + chance.choice(EXTREMES) + data[found.end() :]
            case _:
                yield kind, data + chance.choice(EXTREMES)
