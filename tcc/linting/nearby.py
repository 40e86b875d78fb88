"""Whether a configuration lies above a policy; asked for each policy, so nothing is imported."""

import os
from functools import cache

NAME, PYPROJECT, TABLE = "tcc.toml", "pyproject.toml", "tool.tcc"


class ConfigError(Exception):
    """A configuration that cannot be used; the message says where, why, and what to write."""


def has_config(path: str) -> bool:
    """Whether a `tcc.toml`, or a `pyproject.toml` that speaks of us, lies above a policy."""
    return _above(os.path.abspath(os.path.dirname(path)))


def forget() -> None:
    """Look anew from now on."""
    _above.cache_clear()


@cache
def _above(folder: str) -> bool:
    if os.path.isfile(os.path.join(folder, NAME)):
        return True
    try:
        with open(os.path.join(folder, PYPROJECT), "rb") as file:
            if TABLE.encode() in file.read():
                return True
    except OSError:
        pass
    parent = os.path.dirname(folder)
    return parent != folder and _above(parent)
