"""What the state directory remembers: one record for every change, and how it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tcc.apply.codec import state_from_json, state_to_json
from tcc.plan.state import Place, State


@dataclass(frozen=True, slots=True)
class Owned:
    """What an apply put in a place: whose it is, and how to know it again.

    `handle` is 0 for what is no qdisc.
    """

    link: str
    kind: str
    handle: int = 0


Ownership = Mapping[Place, Owned]
"""What is ours, by place."""


@dataclass(frozen=True, slots=True)
class PolicyText:
    """The policy that a change carried out, for what has to know it later (`tcc.apply.kept`)."""

    key: str
    """Which policy, for which namespace: the same one after it was edited."""
    text: str
    """The whole policy as JSON, includes and values of parameters in place."""
    before: str | None = None
    """The text that was confirmed for `key` before; None when none was."""


@dataclass(frozen=True, slots=True)
class Record:
    """One change: what was there, what was to be, and what is ours before and after."""

    command: str
    when: str
    """Local time with its offset, for people."""
    before: State
    after: State
    owned_before: Ownership = field(default_factory=dict)
    owned_after: Ownership = field(default_factory=dict)
    number: int = 0
    """Its number in the history."""
    policy: PolicyText | None = None
    since: int = 0
    """Of a way back: the first change that is taken back with it; 0 for a change."""


def record_to_json(record: Record) -> dict[str, Any]:
    """Return `record` for `record_from_json`."""
    policy = record.policy
    return {
        "command": record.command,
        "when": record.when,
        "before": state_to_json(record.before),
        "after": state_to_json(record.after),
        "owned_before": ownership_to_json(record.owned_before),
        "owned_after": ownership_to_json(record.owned_after),
        "number": record.number,
        "policy": None if policy is None else [policy.key, policy.text, policy.before],
        "since": record.since,
    }


def record_from_json(data: Mapping[str, Any]) -> Record:
    """Return the record; raises KeyError, TypeError or ValueError where it is none."""
    policy = data["policy"]
    return Record(
        str(data["command"]),
        str(data["when"]),
        state_from_json(data["before"]),
        state_from_json(data["after"]),
        ownership_from_json(data["owned_before"]),
        ownership_from_json(data["owned_after"]),
        int(data["number"]),
        None if policy is None else PolicyText(str(policy[0]), str(policy[1]), policy[2]),
        int(data["since"]),
    )


def ownership_to_json(owned: Ownership) -> list[dict[str, Any]]:
    """Return `owned` for `ownership_from_json`."""
    return [
        {
            "device": place.device,
            "at": place.at,
            "link": one.link,
            "kind": one.kind,
            "handle": one.handle,
        }
        for place, one in owned.items()
    ]


def ownership_from_json(data: Sequence[Mapping[str, Any]]) -> Ownership:
    """Return what is ours; raises KeyError, TypeError or ValueError where it says nothing."""
    return {
        Place(str(one["device"]), str(one["at"])): Owned(
            str(one["link"]), str(one["kind"]), int(one["handle"])
        )
        for one in data
    }
