"""The compiled engine under AddressSanitizer and UBSan: traces, tests, damaged traces; no fault.

--short: CAKE alone, without the tests of the engine, as `make test` runs it.
"""

import sys

from _checked import holds, sanitizers


def main() -> int:
    """Build and run; 1 at a fault, 2 where the compiler has no AddressSanitizer."""
    preload = sanitizers()
    if preload is None:
        print("the compiler has no libasan: apt-get install libgcc-12-dev, or another compiler")
        return 2
    return 0 if holds("address", preload, short="--short" in sys.argv[1:]) else 1


if __name__ == "__main__":
    sys.exit(main())
