"""From a policy and what shall vary to a grid, or to what stands against it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from tcc import api
from tcc.diagnostics import Diagnostic, Severity, error, has_errors
from tcc.ir import Policy
from tcc.passes import Built
from tcc.source import Source
from tcc.sweep.axes import Axis
from tcc.sweep.flat import flat
from tcc.sweep.grid import Grid
from tcc.sweep.places import places
from tcc.sweep.work import Setup


def plan(
    built: Built, setup: Setup, axes: Sequence[Axis], seeds: Sequence[int], most: int
) -> tuple[Grid | None, list[Diagnostic]]:
    """Return what is to be run, and what was found.

    Args:
        built: the policy as it is.
        setup: how it is run.
        axes: what varies.
        seeds: each objective is run with each.
        most: runs that may be asked for.

    Found: what building found, sweep-param, sweep-value, sweep-too-many, no-objective.
    """
    if not built.trees:
        found = [item for axis in axes if isinstance(item := places(built, axis), Diagnostic)]
        return None, [*built.found, *found]
    source = flat(built)
    whole = api.load(source, setup.given)  # its places are those of the one text
    where = [places(whole, axis) for axis in axes]
    found = [item for item in where if isinstance(item, Diagnostic)]
    if found or (whole.policy is None and not axes):
        return None, [*built.found, *found]
    fitting = tuple(item for item in where if not isinstance(item, Diagnostic))
    grid = Grid(source, setup, tuple(axes), fitting, (), seeds)
    policy, found = _first(grid, built)
    if policy is None:
        return None, found
    found += misfits(grid)
    if not policy.objectives:
        found.append(
            error(
                "no-objective", None, "the policy has no objective, so there is nothing to run",
                'write: objective "calls survive" { under rrul; require ping latency p99 <= 60ms }',
            )
        )  # fmt: skip
    grid = replace(grid, objectives=tuple(one.text for one in policy.objectives))
    if grid.size > most:
        found.append(_too_many(grid, most))
    return (None if has_errors(found) else grid), found


def policy_of(grid: Grid) -> Policy | None:
    """Return the policy with the first value of each axis."""
    text = grid.point([axis.values[0] for axis in grid.axes]).text
    return api.load(Source(grid.source.path, text), grid.setup.given, complete=True).policy


def _first(grid: Grid, built: Built) -> tuple[Policy | None, list[Diagnostic]]:
    """Return the policy at the first point, or what stands against it.

    Where a value is to blame, that is said of the value.
    """
    policy = policy_of(grid)
    if policy is not None or has_errors(built.found):
        return policy, list(built.found)
    found = list(misfits(grid))
    if found:
        return None, found
    text = grid.point([axis.values[0] for axis in grid.axes]).text
    first = api.load(Source(grid.source.path, text), grid.setup.given, complete=True)
    return None, list(first.found)


def misfits(grid: Grid) -> Iterator[Diagnostic]:
    """Yield an error for each value that cannot stand where its axis puts it.

    Of a range its ends are tried, with the first values of all other axes.
    """
    firsts = [axis.values[0] for axis in grid.axes]
    for number, axis in enumerate(grid.axes):
        for place, (value, span) in enumerate(zip(axis.values, axis.spans, strict=True)):
            inside = axis.spans[max(0, place - 1) : place + 2] == (span,) * 3
            if inside:
                continue
            values = [*firsts[:number], value, *firsts[number + 1 :]]
            source = Source(grid.source.path, grid.point(values).text)
            reasons = _errors(api.load(source, grid.setup.given, complete=True))
            if reasons:
                yield error(
                    "sweep-value", span, f"`{value}` cannot be the value of `{axis.name}`: "
                    f"{reasons[0].message}", *reasons[0].hints,
                )  # fmt: skip


def _errors(built: Built) -> list[Diagnostic]:
    return [item for item in built.found if item.severity is Severity.ERROR]


def _too_many(grid: Grid, most: int) -> Diagnostic:
    counts = [f"{len(axis.values):,} of {axis.name}" for axis in grid.axes]
    for count, what in ((len(grid.objectives), "objective"), (len(grid.seeds), "seed")):
        counts.append(f"{count:,} {what}{'s' * (count != 1)}")
    return error(
        "sweep-too-many", None,
        f"{' x '.join(counts)} are {grid.size:,} runs, more than {most:,}",
        f"write --max-runs {grid.size} to allow them, or fewer values or seeds",
    )  # fmt: skip
