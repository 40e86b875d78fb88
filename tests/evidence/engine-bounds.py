"""The engine compiled with checks of bounds, divisions and overflows: traces, tests; no fault."""

import sys

from _checked import holds


def main() -> int:
    """Build and run; 1 at a fault."""
    return 0 if holds("bounds") else 1


if __name__ == "__main__":
    sys.exit(main())
