"""Lower a policy given as text: what most tests of plugins begin with."""

from typing import Any

from tcc import api
from tcc.facts import Facts
from tcc.lower import LoweredQdisc, lower_policy
from tcc.source import Source


def lower_text(text: str, facts: Facts | None = None) -> tuple[list[LoweredQdisc], list[Any]]:
    """Return the qdiscs of a policy and what was found: pairs of code and words it points at."""
    built = api.load(Source("test.tcc", text))
    assert built.policy is not None, [found.message for found in built.found]
    lowered, found = lower_policy(built.policy, facts, built.spans)
    pointed = [
        (item.code, text[item.span.start : item.span.end] if item.span else None) for item in found
    ]
    return lowered, pointed


def lower_one(text: str, facts: Facts | None = None) -> LoweredQdisc:
    """Return the only qdisc of a policy."""
    [lowered], _ = lower_text(text, facts)
    return lowered


def settings_of(text: str, facts: Facts | None = None) -> Any:
    """Return the settings of the only qdisc, which must be without an error."""
    lowered = lower_one(text, facts)
    assert lowered.settings is not None, [found.message for found in lowered.found]
    return lowered.settings


def link(body: str, head: str = "", direction: str = "egress") -> str:
    """Return a policy of one link; `body` shapes one direction."""
    return f'link wan {{\n    device "eth0"\n    {head}\n    {direction} {{ {body} }}\n}}\n'
