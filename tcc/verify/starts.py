"""When the senders of a scenario begin: the same moments for whoever measures."""

from tcc.verify.scenario import Scenario

STREAM = 10
"""Of the engine's random numbers, the one that is for this alone."""
SPREAD = 10_000_000
"""ns within which senders that start together really start: no two processes do at once."""


def starts(scenario: Scenario, seed: int) -> list[int]:
    """Return when each flow begins (ns), in the order of the scenario, drawn by the seed."""
    from tcc.engine.random import Random  # noqa: PLC0415  (for measurements alone)

    chance = Random(seed, STREAM)
    return [flow.start + chance.draw_below(SPREAD) for flow in scenario.flows]
