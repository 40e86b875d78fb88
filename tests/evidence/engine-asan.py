"""The compiled engine under AddressSanitizer and UBSan: traces, tests, damaged traces; no fault."""

import sys

from _checked import holds, library


def main() -> int:
    """Build and run; 1 at a fault, 2 where the compiler has no AddressSanitizer."""
    libraries = [library("libasan.so"), library("libstdc++.so.6") or library("libstdc++.so")]
    if libraries[0] is None:
        print("the compiler has no libasan: apt-get install libgcc-12-dev, or another compiler")
        return 2
    return 0 if holds("address", " ".join(filter(None, libraries))) else 1


if __name__ == "__main__":
    sys.exit(main())
