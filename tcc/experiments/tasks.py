"""Runs the rows of an experiment, two at a time, and hands them back in their order."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST = 2


def run(call: Callable[..., Any], arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Call a function with each of several arguments; the order of results is theirs."""
    workers = min(MOST, os.cpu_count() or 1, len(arguments))
    if workers <= 1:
        return [call(*each) for each in arguments]
    with ProcessPoolExecutor(workers) as pool:
        return list(pool.map(call, *zip(*arguments, strict=True)))
