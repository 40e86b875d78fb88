"""What of a running qdisc can be altered without losing a packet, from a policy's clause.

A plugin whose kind can do that has `alters` and `altered`; one without them cannot.
"""

from dataclasses import dataclass
from typing import Any, Final, Protocol, cast, runtime_checkable

from tcc import plugin
from tcc.ir import Shaping

BITS: Final = 8


class CannotSetError(ValueError):
    """A clause or value that a running qdisc does not take; the message says why."""


@runtime_checkable
class Altering(Protocol):
    """A qdisc plugin whose settings can follow a clause while packets wait."""

    alters: frozenset[str]
    """The clauses: those that neither move packets between queues nor drop any."""

    def altered(self, settings: Any, shaping: Shaping, frame: int) -> object:  # noqa: ANN401
        """Return `settings` with what `shaping` says, and all else as it is.

        Args:
            settings: those of the running qdisc.
            shaping: a shaping with one clause of `alters`.
            frame: the longest packet that the device sends, in bytes.

        Raises:
            CannotSetError: the value is none that can be set.
        """
        ...


@dataclass(frozen=True, slots=True)
class Alteration:
    """A clause, as a policy would write it, and what it says."""

    clause: str
    shaping: Shaping


def alter(kind: str, settings: object, wanted: Alteration, frame: int) -> object:
    """Return the settings of a running qdisc of `kind` with one clause altered.

    Raises:
        CannotSetError: the kind or the clause allows no such thing.
    """
    try:
        found = plugin.qdisc(kind)
    except (KeyError, plugin.PluginError) as problem:
        raise CannotSetError(f"no plugin knows {kind}") from problem
    if not isinstance(found, Altering):
        raise CannotSetError(f"nothing of a running {kind} can be set")
    field = wanted.clause.replace("-", "_")
    if field not in found.alters:
        words = ", ".join(sorted(one.replace("_", "-") for one in found.alters))
        raise CannotSetError(
            f"`{wanted.clause}` of a running {kind} cannot be set without losing packets or their "
            f"order; what can: {words}"
        )
    return cast(Altering, found).altered(settings, wanted.shaping, frame)


def rate_of(shaping: Shaping) -> int:
    """Return the bandwidth in bytes per second, 0 for unlimited.

    Raises:
        CannotSetError: it has bounds, or is less than the kernel can count.
    """
    asked = shaping.bandwidth
    if asked is None or asked.minimum is not None:
        raise CannotSetError("bounds belong into the policy: give the rate alone")
    if isinstance(asked.rate, str):
        return 0
    if asked.rate < BITS:
        raise CannotSetError(f"{asked.rate}bit is less than a byte per second")
    return asked.rate // BITS
