"""From a policy to its scenarios: lowered, as the chosen back end would emit it."""

from collections.abc import Callable, Sequence
from typing import cast

from tcc import plugin
from tcc.diagnostics import Diagnostic, has_errors
from tcc.facts import Facts
from tcc.ir import Policy, Spans
from tcc.lower import LoweredQdisc, lower_policy
from tcc.verify.scenario import Scenario, scenarios


def prepare(
    policy: Policy, facts: Facts | None, spans: Spans, target: str | None
) -> tuple[list[Scenario], list[Diagnostic]]:
    """Return the scenario of each objective, and what was found while lowering.

    A back end that cannot take settings as they are, such as one that counts whole kbit/s, has a
    method `emitted(lowered)`, which returns the qdisc that comes of it. Without such a method,
    and without a target, lowering's own settings are what a kernel gets (`netlink`).

    Raises:
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    lowered, found = lower_policy(policy, facts, spans)
    if target is not None:
        found += plugin.backend(target).lower(policy, plugin.Target(facts, spans))[1]
    if has_errors(found):
        return [], found
    return list(scenarios(policy, _emitted(lowered, target))), found


def _emitted(lowered: Sequence[LoweredQdisc], target: str | None) -> Sequence[LoweredQdisc]:
    change = getattr(plugin.backend(target), "emitted", None) if target else None
    if change is None:
        return lowered
    emitted = cast("Callable[[LoweredQdisc], LoweredQdisc]", change)
    return [emitted(one) for one in lowered]
