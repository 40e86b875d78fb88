"""A plan in words, and as JSON."""

import re
from collections.abc import Callable, Iterator, Set
from typing import Any

from tcc.plan.operation import Operation, Plan, Verb
from tcc.plan.state import (
    HOOK,
    LINK,
    REDIRECT,
    FileItem,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    RulesItem,
    handle_text,
)
from tcc.units import NS_PER_US, format_duration, format_rate

Describe = Callable[[Item], str]
"""What an item is set to, in a line; empty when there is nothing to tell."""

_INDENT = " " * 11
_BITS = re.compile(r"\b(\d+)bit\b")
_MICROSECONDS = re.compile(r"\b(\d+)us\b")


def as_text(plan: Plan, describe: Describe) -> str:
    """Return what will happen, by device and direction; ends with a line that sums up."""
    sections: dict[tuple[str, str], list[str]] = {}
    made = {place.device for place in plan.wanted if place.at == LINK}
    for place in plan.wanted:
        sections.setdefault(_section(place, made), [])
    for step in plan.operations:
        sections.setdefault(_section(step.place, made), []).extend(_step_lines(step, describe))
    for place, item in plan.wanted.items():
        if not sections[_section(place, made)]:
            sections[_section(place, made)].append(_kept_line(plan, place, item))
    blocks = ["\n".join([" ".join(filter(None, head)), *body]) for head, body in sections.items()]
    return "\n\n".join([*blocks, summary(plan)]) + "\n"


def summary(plan: Plan) -> str:
    """Return one line: how much there is to do."""
    if not plan:
        return "Nothing to do: everything is as wanted."
    steps, devices = len(plan.operations), len(plan.by_device())
    return f"{steps} step{'s' * (steps != 1)} on {devices} device{'s' * (devices != 1)}."


def as_json(plan: Plan, describe: Describe) -> dict[str, Any]:
    """Return the plan for programs; `steps` is empty when nothing is to be done."""
    return {
        "version": 1,
        "steps": [_step_json(step, describe) for step in plan.operations],
        "unchanged": [_place_json(place) for place in _unchanged(plan)],
    }


def name(item: Item | None) -> str:
    """Return what an item is, for people: `cake 1:`, `fq_codel (the kernel's own)`."""
    match item:
        case None | Nothing():
            return "nothing"
        case FileItem():
            return "a file"
        case LinkItem():
            return f"{item.kind} device"
        case HookItem():
            return item.kind
        case FilterItem():
            return _filter_name(item)
        case RulesItem():
            return f"nftables table {item.table}"
    if item.default:
        return f"{item.kind} (the kernel's own)" if item.kind else "the kernel's own"
    return f"{item.kind} {handle_text(item.handle)}"


def _filter_name(item: FilterItem) -> str:
    if item.foreign:
        return item.foreign
    if item.clears_priority:
        return f"{item.kind} that clears priorities"
    first = "DSCP from the connection's mark, then " if item.restores else ""
    return f"{first}redirect to {item.redirects or 'a device that is gone'} ({item.kind})"


def _section(place: Place, made: Set[str]) -> tuple[str, str]:
    if not place.device:
        return place.at, ""
    if place.device in made:
        return place.device, ""
    return place.device, "ingress" if place.at in {HOOK, REDIRECT} else "egress"


def _where(place: Place) -> str:
    if place.at == LINK:
        return f" {place.device}"
    return f" in class {place.at}" if ":" in place.at and place.device else ""


def _step_lines(step: Operation, describe: Describe) -> Iterator[str]:
    where = _where(step.place)
    if step.verb is Verb.CHANGE:
        kept = ", in place: no packet is lost" if isinstance(step.after, QdiscItem) else ""
        yield f"  change   {name(step.after)}{where}{kept}"
        for one in step.differences:
            yield f"{_INDENT}{one.name} {readable(one.observed)} -> {readable(one.wanted)}"
        return
    if step.verb is Verb.DELETE:
        after = "the kernel's own" if step.place.at == "root" else "nothing"
        yield f"  delete   {name(step.before)}{where} -> {after}"
        return
    before = name(step.before) if step.before is not None else ""
    yield f"  {step.verb.value:<8} " + " -> ".join(filter(None, (before, name(step.after)))) + where
    if step.after is not None and (words := describe(step.after)):
        yield f"{_INDENT}{readable(words)}"


def readable(words: str) -> str:
    """Return plain numbers of bit/s and us in the units that a policy would use."""
    words = _BITS.sub(lambda found: format_rate(int(found[1])), words)
    return _MICROSECONDS.sub(lambda found: format_duration(NS_PER_US * int(found[1])), words)


def _kept_line(plan: Plan, place: Place, item: Item) -> str:
    return f"  keep     {name(_shown(plan, place, item))}{_where(place)} is as wanted"


def _shown(plan: Plan, place: Place, item: Item) -> Item:
    observed = plan.observed.get(place)
    default = isinstance(item, QdiscItem) and item.default
    return observed if default and observed is not None else item


def _unchanged(plan: Plan) -> Iterator[Place]:
    touched = {step.place for step in plan.operations}
    return (place for place in plan.wanted if place not in touched)


def _place_json(place: Place) -> dict[str, str]:
    return {"device": place.device, "at": place.at} if place.device else {"file": place.at}


def _step_json(step: Operation, describe: Describe) -> dict[str, Any]:
    return {
        "do": step.verb.value,
        **_place_json(step.place),
        "before": _item_json(step.before, describe),
        "after": _item_json(step.after, describe),
        "changes": [
            {"setting": one.name, "from": one.observed, "to": one.wanted}
            for one in step.differences
        ],
    }


def _item_json(item: Item | None, describe: Describe) -> dict[str, Any] | None:
    match item:
        case None | Nothing():
            return None
        case FileItem() | RulesItem():
            return {"text": item.text}
        case LinkItem():
            return {"kind": item.kind, "up": item.up}
        case HookItem():
            return {"kind": item.kind}
        case FilterItem():
            return {"kind": item.kind, "does": name(item)}
    return {
        "kind": item.kind,
        "handle": handle_text(item.handle),
        "default": item.default,
        "settings": describe(item),
    }
