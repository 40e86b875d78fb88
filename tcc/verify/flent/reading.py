"""A data file of flent as somebody measured it: read within bounds, or refused with the reason.

Such a file may come from anywhere.  What it unpacks to is bounded while it is unpacked; of what it
holds only the series, their times and a few words of the metadata are looked at.
"""

import bz2
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from tcc.diagnostics import Diagnostic, error
from tcc.source import Span
from tcc.visible import visible

LARGEST_FILE, LARGEST_TEXT = 32 << 20, 128 << 20
FORMATS = (1, 2, 3, 4)
MOST_SERIES, MOST_VALUES = 2000, 200_000
GREATEST = 1e9
LONGEST_NAME = 200
STEP = 1 << 20

Values = Sequence[float | None]


class UnreadableError(Exception):
    """The file holds no data of flent; the message says why."""


@dataclass(frozen=True, slots=True)
class DataFile:
    """What was measured.

    Attributes:
        path: of the file.
        test: flent's name of the test.
        title: what whoever ran it called it.
        version: of flent.
        times: s since the test began.
        series: Mbit/s or ms, by name; None where there was nothing.
        length: s for which the load ran; None where the file does not say.
        total: s of the whole test.
    """

    path: str
    test: str
    title: str
    version: str
    times: Sequence[float]
    series: Mapping[str, Values]
    length: float | None
    total: float


def read_file(path: str) -> DataFile | Diagnostic:
    """Return what a file holds, or `flent-unreadable`."""
    try:
        return _data(path, _object(_text(path)))
    except OSError as problem:
        words = problem.strerror or "its compression is broken"
        return _unreadable(path, f"cannot read it: {words}")
    except (UnreadableError, EOFError) as problem:
        return _unreadable(path, str(problem) or "its compression is broken")
    except zlib.error:
        return _unreadable(path, "its compression is broken")


def _unreadable(path: str, message: str) -> Diagnostic:
    hint = "give a file that flent wrote, such as rrul-2025-01-01T000000.flent.gz"
    return error("flent-unreadable", Span(path, 0, 0), message, hint)


def _text(path: str) -> bytes:
    with Path(path).open("rb") as file:
        data = file.read(LARGEST_FILE + 1)
    if len(data) > LARGEST_FILE:
        raise UnreadableError(f"it is larger than {LARGEST_FILE >> 20} MiB")
    if data.startswith(b"\x1f\x8b"):
        return _unpacked(_gzip_parts(data))
    if data.startswith(b"BZh"):
        return _unpacked(_bzip2_parts(data))
    return data


def _gzip_parts(data: bytes) -> Iterator[bytes]:
    packed = zlib.decompressobj(zlib.MAX_WBITS | 16)
    while not packed.eof:
        part = packed.decompress(data, STEP)
        data = packed.unconsumed_tail
        if not part and not data and not packed.eof:
            raise UnreadableError("it is cut short")
        yield part


def _bzip2_parts(data: bytes) -> Iterator[bytes]:
    packed = bz2.BZ2Decompressor()
    while not packed.eof:
        part = packed.decompress(data, STEP)
        data = b""
        if not part and packed.needs_input:
            raise UnreadableError("it is cut short")
        yield part


def _unpacked(parts: Iterator[bytes]) -> bytes:
    """Return what parts add up to; a bomb ends at the bound."""
    found = bytearray()
    for part in parts:
        found += part
        if len(found) > LARGEST_TEXT:
            raise UnreadableError(f"it unpacks to more than {LARGEST_TEXT >> 20} MiB")
    return bytes(found)


def _object(text: bytes) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        raise UnreadableError("it is not JSON") from problem
    except (RecursionError, ValueError) as problem:
        raise UnreadableError("it is JSON that no program of good will writes") from problem
    if not isinstance(found, dict):
        raise UnreadableError("it is JSON, but not an object")
    return found


def _data(path: str, found: dict[str, Any]) -> DataFile:
    if found.get("version", 1) not in FORMATS:
        raise UnreadableError(f"its format is not one of {', '.join(map(str, FORMATS))}")
    metadata, results = found.get("metadata"), found.get("results")
    if not isinstance(metadata, dict) or not isinstance(results, dict):
        raise UnreadableError("it has no `metadata` or no `results`")
    times = _times(found.get("x_values"))
    if len(results) > MOST_SERIES:
        raise UnreadableError(f"it has more than {MOST_SERIES} series")
    series = {name: _values(name, values, len(times)) for name, values in results.items()}
    length, total = _number(metadata, "LENGTH"), _number(metadata, "TOTAL_LENGTH")
    return DataFile(
        path,
        _word(metadata, "NAME") or "a test without a name",
        _word(metadata, "TITLE"),
        _word(metadata, "FLENT_VERSION") or _word(metadata, "NETPERF_WRAPPER_VERSION"),
        times,
        series,
        length,
        max(total or 0.0, times[-1]),
    )


def _word(metadata: Mapping[str, Any], name: str) -> str:
    word = metadata.get(name)
    return visible(word[:LONGEST_NAME]) if isinstance(word, str) else ""


def _number(metadata: Mapping[str, Any], name: str) -> float | None:
    value = metadata.get(name)
    return float(value) if _is_number(value) and value > 0 else None  # type: ignore[operator,arg-type]


def _is_number(value: object) -> bool:
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and abs(value) <= GREATEST
        and isfinite(value)
    )


def _times(values: object) -> list[float]:
    if not isinstance(values, list) or not values:
        raise UnreadableError("it has no `x_values`")
    if len(values) > MOST_VALUES:
        raise UnreadableError(f"it has more than {MOST_VALUES} values in a series")
    if not all(_is_number(one) for one in values):
        raise UnreadableError("`x_values` are not all numbers")
    times = [float(one) for one in values]
    if times[0] < 0 or any(one >= other for one, other in pairwise(times)):
        raise UnreadableError("`x_values` do not ascend")
    return times


def _values(name: str, values: object, count: int) -> list[float | None]:
    shown = visible(name[:LONGEST_NAME])
    if not isinstance(values, list) or len(values) != count:
        raise UnreadableError(f"the series `{shown}` has not {count} values, as `x_values`")
    if not all(one is None or _is_number(one) for one in values):
        raise UnreadableError(f"the series `{shown}` holds something else than numbers")
    return [None if one is None else float(one) for one in values]
