"""States as JSON: what a journal and a saved plan hold.

Settings are kept as the payload of TCA_OPTIONS, which is what the kernel said or would be
sent, so that nothing is lost in translation and no plugin has to invent a format.
"""

from typing import Any

from tcc import plugin
from tcc.plan.state import FileItem, Item, Place, QdiscItem, State, handle_text


def settings_of(kind: str, payload: bytes) -> object | None:
    """Return what `payload` means to the plugin of `kind`; None when no plugin can tell."""
    try:
        return plugin.qdisc(kind).read(payload)
    except (KeyError, plugin.PluginError, ValueError):
        return None


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
    if isinstance(item, FileItem):
        return {"text": item.text, "mode": item.mode}
    payload = item.raw or (b"" if item.default else payload_of(item) or b"")
    return {
        "kind": item.kind,
        "handle": handle_text(item.handle),
        "options": payload.hex(),
        "default": item.default,
        "sized": item.sized,
        "path": list(item.path),
    }


def _item_from_json(data: dict[str, Any]) -> Item:
    if "text" in data:
        return FileItem(str(data["text"]), int(data["mode"]))
    kind, payload = str(data["kind"]), bytes.fromhex(data["options"])
    default = bool(data["default"])
    return QdiscItem(
        kind,
        handle_number(data["handle"]),
        None if default else settings_of(kind, payload),
        payload,
        default,
        tuple(data["path"]),
        bool(data["sized"]),
    )
