"""Start tcc: the programs `tcc` and `tcpolicy`, and `python -m tcc`."""

import gc
from typing import NoReturn

OBJECTS = 50_000
"""How many new objects make the collector look for cycles."""


def main() -> NoReturn:
    """Run the command line of this process.

    A command imports far more objects than it throws away, and at Python's usual threshold the
    collector goes through them again and again, once more at the very end: together a tenth of
    the time of a short command. So it looks seldom, and not at what goes with the process.
    """
    gc.set_threshold(OBJECTS, *gc.get_threshold()[1:])

    from tcc.cli.main import main as run  # noqa: PLC0415  (its imports are what is meant)

    try:
        run()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
