"""Put a link together from its own clauses and those of its profile.

From weak to strong: what the profile says for both directions, what it says for one, what
the link says for both, what it says for one. A direction exists when one of the two has a
block for it, or gives a bandwidth or a qdisc for both.
"""

from typing import Any

from tcc.ir import Link, Path, Shaping
from tcc.passes.context import Context, Definition
from tcc.passes.links import PLACEHOLDER, Layer
from tcc.passes.setting import Setting
from tcc.source import Span

EMPTY = Layer()
MAKES_A_DIRECTION = ("bandwidth", "qdisc")


def merge_link(context: Context, link: Definition, own: Layer, profile: Layer) -> Link:
    """Return the link, and enter the places of all its parts. Codes: missing-device."""
    path = link.path
    context.spans[path] = link.span
    values: dict[str, Any] = {"name": link.name}
    for field, setting in (profile.own | own.own).items():
        if setting.value is not None:
            values[field] = setting.value
        enter(context, (*path, field), setting)
    if "device" not in values:
        if "device" not in own.own and "device" not in profile.own:
            context.missing(
                "missing-device", link.span, f"the link `{link.name}` names no device",
                'write: device "eth0", or: device matching "wan*"',
            )  # fmt: skip
        values["device"] = PLACEHOLDER
    for direction in ("egress", "ingress"):
        shaping = merge_direction(context, (*path, direction), direction, own, profile)
        if shaping is not None:
            values[direction] = shaping
    tiers = own.tiers + _inherited(own, profile)
    for index, tier in enumerate(tiers):
        enter(context, (*path, "tiers", index), tier)
    if tiers:
        values["tiers"] = tuple(tier.value for tier in tiers)
    return Link(**values)


def _inherited(own: Layer, profile: Layer) -> list[Setting]:
    """Return the profile's tiers, without those that the link defines itself."""
    if not own.tiers:
        return profile.tiers
    taken = {tier.value.name for tier in own.tiers}  # type: ignore[attr-defined]
    return [tier for tier in profile.tiers if tier.value.name not in taken]  # type: ignore[attr-defined]


def merge_direction(
    context: Context, path: Path, direction: str, own: Layer, profile: Layer
) -> Shaping | None:
    """Return the shaping of one direction; None when nobody asked for it."""
    settings: dict[str, Setting] = {}
    block: Span | None = None
    for layer in (profile, own):
        settings |= layer.both
        if direction in layer.directions:
            block, inner = layer.directions[direction]
            settings |= inner
    if block is None and not any(
        field in layer.both for field in MAKES_A_DIRECTION for layer in (profile, own)
    ):
        return None
    if block is not None:
        context.spans[path] = block
    values: dict[str, Any] = {}
    for field, setting in settings.items():
        if setting.value is not None:
            values[field] = setting.value
        enter(context, (*path, field), setting)
    preferred = tuple(field for field, setting in settings.items() if setting.prefer)
    if preferred:
        values["prefer"] = preferred
    return Shaping(**values)


def enter(context: Context, path: Path, setting: Setting) -> None:
    """Enter where a setting and its parts were written, and what of it is not known."""
    context.spans[path] = setting.span
    for part, span in setting.places:
        context.spans[path + part] = span
    if setting.value is None:
        context.unknown.add(path)
    for part in setting.unknown:
        context.unknown.add(path + part)
