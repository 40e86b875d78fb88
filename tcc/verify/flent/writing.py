"""A prediction as a data file that flent opens, prints and plots.

The same run gives the same JSON.  It says what it is: its host is `tcc`, title and note name the
objective, the seed and how good the prediction is; its time is the beginning of 2000, since
simulated time has no date.
"""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tcc import __version__
from tcc.units import NS_PER_MS, NS_PER_S
from tcc.verify.flent.names import WAYS, Test, test_of
from tcc.verify.run import Run
from tcc.verify.series import Series

FORMAT = 4
BEGIN, BEGAN = 946_684_800, "2000-01-01T00:00:00.000000Z"
Values = Sequence[float | None]


def data_file(run: Run, path: str) -> bytes:
    """Return the file of a run with series; compressed where the path ends in `.gz`."""
    series = run.measured.series
    assert series is not None
    text = json.dumps(_contents(run, series, PurePath(path).name), indent=2, sort_keys=True)
    data = text.encode("ascii")
    return gzip.compress(data, mtime=0) if path.endswith(".gz") else data


def _contents(run: Run, series: Series, name: str) -> dict[str, Any]:
    test, duration = test_of(run.scenario), run.measured.duration
    found = dict(_flows(run, series, test))
    found |= dict(_sums(found))
    times = [
        min(duration, series.interval * (number + 1)) / NS_PER_S
        for number in range(-(-duration // series.interval))
    ]
    units = {one: "ms" if one.startswith("Ping") else "Mbits/s" for one in found}
    return {
        "version": FORMAT,
        "metadata": _metadata(run, series, test, name)
        | {"SERIES_META": {one: {"UNITS": unit} for one, unit in units.items()}},
        "x_values": times,
        "results": {one: list(values) for one, values in found.items()},
        "raw_values": {
            one: [
                {"t": round(BEGIN + time, 3), "val": value}
                for time, value in zip(times, values, strict=True)
                if value is not None
            ]
            for one, values in found.items()
        },
    }


def _metadata(run: Run, series: Series, test: Test, name: str) -> dict[str, Any]:
    measured, text = run.measured, run.scenario.objective.text
    seconds = measured.duration / NS_PER_S
    return {
        "NAME": test.name,
        "TITLE": text,
        "NOTE": f"predicted by tcc {__version__}: {measured.basis}, seed {measured.seed}, "
        f"{measured.verifier}, {measured.model}",
        "HOST": "tcc",
        "HOSTS": ["tcc"],
        "LOCAL_HOST": "tcc",
        "TIME": BEGAN,
        "T0": BEGAN,
        "LENGTH": seconds,
        "TOTAL_LENGTH": seconds,
        "STEP_SIZE": series.interval / NS_PER_S,
        "TEST_PARAMETERS": test.parameters,
        "FLENT_VERSION": f"tcc {__version__}",
        "IP_VERSION": 4,
        "DATA_FILENAME": name,
    }


def _flows(run: Run, series: Series, test: Test) -> Iterator[tuple[str, Values]]:
    """Yield each flow's series: Mbit/s of payload, or ms there and back."""
    interval, duration = series.interval, run.measured.duration
    both = zip(test.series, run.scenario.flows, series.flows, strict=True)
    for name, flow, one in both:
        if flow.direction is None:
            means = one.round_trip.mean if one.round_trip else ()
            yield name, [None if mean is None else mean / NS_PER_MS for mean in means]
            continue
        lengths = (min(interval, duration - interval * at) for at in range(len(one.payload)))
        yield (
            name,
            [
                round(octets * 8 * 1000 / length, 6)
                for octets, length in zip(one.payload, lengths, strict=True)
            ],
        )


def _sums(found: Mapping[str, Values]) -> Iterator[tuple[str, Values]]:
    """Yield what flent's tests compute of their series."""
    transfers: list[Values] = []
    for way in WAYS.values():
        rows = [values for name, values in found.items() if name.startswith(f"TCP {way}")]
        transfers += rows
        if rows:
            yield f"TCP {way} sum", _combined(rows, 1)
            yield f"TCP {way} avg", _combined(rows, len(rows))
    if transfers:
        yield "TCP totals", _combined(transfers, 1)
    pings = [values for name, values in found.items() if name.startswith("Ping")]
    if pings:
        yield "Ping (ms) avg", _combined(pings, None)


def _combined(rows: Sequence[Values], among: int | None) -> Values:
    """Return sums of each interval, divided; None divides by how many there are in it."""
    combined: list[float | None] = []
    for column in zip(*rows, strict=True):
        there = [value for value in column if value is not None]
        combined.append(round(sum(there) / (among or len(there)), 6) if there else None)
    return combined
