"""Pause the collector of reference cycles where it can find nothing."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collection_paused() -> Iterator[None]:
    """Do not look for garbage while objects are made that all stay.

    Reading a policy makes a tree and nodes without cycles. The collector would go through all
    of them again each time that their number has grown by a quarter.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
