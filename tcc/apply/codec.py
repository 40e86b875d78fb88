"""States as JSON: what a journal and a saved plan hold.

Settings are kept as the payload of TCA_OPTIONS, which is what the kernel said or would be
sent, so that nothing is lost in translation and no plugin has to invent a format; beside it what
the payload does not bring back: bounds that the kernel does not keep, times that it would dump
rounded. What is no qdisc is written field by field.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any, cast

from tcc import plugin
from tcc.plan.state import (
    NOTHING,
    FileItem,
    FilterItem,
    HookItem,
    Item,
    LinkItem,
    Nothing,
    Place,
    QdiscItem,
    RulesItem,
    State,
    handle_text,
)

_PLAIN = (int, str, tuple, type(None))


def settings_of(
    kind: str, payload: bytes, unsaid: Mapping[str, Any] | None = None
) -> object | None:
    """Return what `payload` means to the plugin of `kind`; None when no plugin can tell.

    Args:
        kind: of qdisc.
        payload: of TCA_OPTIONS.
        unsaid: what `unsaid` told of these settings, perhaps by way of JSON.
    """
    try:
        settings: Any = plugin.qdisc(kind).read(payload)
    except (KeyError, plugin.PluginError, ValueError):
        return None
    if not unsaid:
        return cast(object, settings)
    known = {
        name: tuple(value) if isinstance(value, list) else value for name, value in unsaid.items()
    }
    return cast(object, replace(settings, **known))


def unsaid(item: QdiscItem) -> dict[str, Any]:
    """Return the settings of `item`, by name, that its payload does not bring back."""
    settings: Any = item.settings
    if settings is None:  # of most kinds no plugin knows, and asking for one takes long
        return {}
    told = settings_of(item.kind, item.raw or payload_of(item) or b"")
    if told is None:
        return {}
    wanted = {field.name: getattr(settings, field.name) for field in fields(settings)}
    return {
        name: value
        for name, value in wanted.items()
        if isinstance(value, _PLAIN) and value != getattr(told, name)
    }


def payload_of(item: QdiscItem) -> bytes | None:
    """Return the payload of TCA_OPTIONS that makes `item`; None where the kind has no options."""
    if item.settings is not None:
        return plugin.qdisc(item.kind).netlink(item.settings)
    return item.raw or None


def handle_number(text: str) -> int:
    """Return the number of `1:` or `1:1`; raise ValueError where it is neither."""
    major, colon, minor = text.partition(":")
    if not colon:
        raise ValueError(f"{text!r} is no handle")
    return int(major or "0", 16) << 16 | int(minor or "0", 16)


def state_to_json(state: State) -> list[dict[str, Any]]:
    """Return `state` in order, for `state_from_json`."""
    return [
        {"device": place.device, "at": place.at, **_item_to_json(item)}
        for place, item in state.items()
    ]


def state_from_json(data: list[dict[str, Any]]) -> State:
    """Return the state; wanted items come back with the path of what asked for them.

    Raises:
        KeyError, TypeError, ValueError: it is no such state.
    """
    return {Place(str(one["device"]), str(one["at"])): _item_from_json(one) for one in data}


def _item_to_json(item: Item) -> dict[str, Any]:
    match item:
        case Nothing():
            return {"is": "nothing"}
        case FileItem():
            return {"is": "file", "text": item.text, "mode": item.mode}
        case LinkItem():
            address = item.address.hex()
            return {"is": "link", **item._asdict(), "address": address, "path": list(item.path)}
        case HookItem():
            return {"is": "hook", **item._asdict(), "path": list(item.path)}
        case FilterItem():
            return {"is": "filter", **item._asdict(), "path": list(item.path)}
        case RulesItem():
            return {"is": "rules", **item._asdict(), "path": list(item.path)}
    payload = item.raw or (b"" if item.default else payload_of(item) or b"")
    return {
        "is": "qdisc",
        "kind": item.kind,
        "handle": handle_text(item.handle),
        "options": payload.hex(),
        "default": item.default,
        "sized": item.sized,
        "unsaid": unsaid(item),
        "path": list(item.path),
    }


def _item_from_json(data: dict[str, Any]) -> Item:
    return _READERS[str(data["is"])](data)


def _qdisc(data: dict[str, Any]) -> QdiscItem:
    kind, payload = str(data["kind"]), bytes.fromhex(data["options"])
    default = bool(data["default"])
    settings = None if default else settings_of(kind, payload, data.get("unsaid"))
    return QdiscItem(
        kind,
        handle_number(data["handle"]),
        settings,
        payload,
        default,
        tuple(data["path"]),
        bool(data["sized"]),
    )


def _link(data: dict[str, Any]) -> LinkItem:
    return LinkItem(
        str(data["kind"]),
        bool(data["up"]),
        int(data["tx_queues"]),
        int(data["number"]),
        bytes.fromhex(data["address"]),
        tuple(data["path"]),
    )


def _hook(data: dict[str, Any]) -> HookItem:
    return HookItem(
        str(data["kind"]), int(data["others"]), bool(data["shared"]), tuple(data["path"])
    )


def _filter(data: dict[str, Any]) -> FilterItem:
    masks = data["restores"]
    return FilterItem(
        str(data["kind"]),
        None if masks is None else (int(masks[0]), int(masks[1])),
        str(data["redirects"]),
        bool(data["clears_priority"]),
        bool(data["dead"]),
        str(data["foreign"]),
        tuple(data["path"]),
    )


_READERS: dict[str, Callable[[dict[str, Any]], Item]] = {
    "nothing": lambda data: NOTHING,
    "file": lambda data: FileItem(str(data["text"]), int(data["mode"])),
    "link": _link,
    "hook": _hook,
    "filter": _filter,
    "rules": lambda data: RulesItem(str(data["table"]), str(data["text"]), tuple(data["path"])),
    "qdisc": _qdisc,
}
