"""Plans in files: made now or elsewhere, carried out later, if nothing has changed."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tcc.apply.codec import state_from_json, state_to_json
from tcc.plan.diff import diff
from tcc.plan.operation import Plan
from tcc.plan.render import Describe, as_json
from tcc.plan.state import Comparison

MARK: Final = "tcc-plan"
VERSION: Final = 2


class UnreadablePlanError(Exception):
    """A file that should hold a plan and does not; the message says why."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A plan with what it takes to carry it out: who asked for it, and for which links."""

    plan: Plan
    policy: str
    links: Mapping[str, str]


def to_text(saved: Saved, describe: Describe, tool: str) -> str:
    """Return the file's text; its `plan` and `tool` are for those who look into it."""
    data = {
        MARK: VERSION,
        "tool": tool,
        "policy": saved.policy,
        "links": dict(saved.links),
        "plan": as_json(saved.plan, describe),
        "observed": state_to_json(saved.plan.observed),
        "wanted": state_to_json(saved.plan.wanted),
    }
    return json.dumps(data, indent=1) + "\n"


def is_plan(text: str) -> bool:
    """Whether a file's text is meant to be a saved plan."""
    return text.lstrip()[:1] == "{" and f'"{MARK}"' in text[:200]


def from_text(text: str, comparison: Comparison) -> Saved:
    """Return the plan in a file's text.

    Its steps are worked out anew from what was observed and wanted, which gives the same
    ones: what the file's `plan` says is not believed.

    Raises:
        UnreadablePlanError: it is not whole, or of another version.
    """
    try:
        data: dict[str, Any] = json.loads(text)
        if data[MARK] != VERSION:
            raise UnreadablePlanError(f"its version is {data[MARK]}; this is for {VERSION}")
        observed, wanted = state_from_json(data["observed"]), state_from_json(data["wanted"])
        links = {str(device): str(link) for device, link in data["links"].items()}
        policy = str(data["policy"])
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as problem:
        raise UnreadablePlanError(f"it is not whole: {problem!r}") from problem
    return Saved(diff(observed, wanted, comparison), policy, links)
