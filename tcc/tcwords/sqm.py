"""What sqm-scripts put before the words of a configuration, and how they name their ifb.

Sources: defaults.sh, functions.sh, layer_cake.qos and piece_of_cake.qos of sqm-scripts 1.6.0 and
of the state of June 2024 that became 1.7; the history of the package in OpenWrt's feed. `use_mq`
was run as a variant for nftables has it (glolsh/sqm-scripts-nft, April 2026).
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

IFB_PREFIX: Final = "ifb4"
LONGEST: Final = 15
KBIT: Final = 1000


class Sqm(NamedTuple):
    """What differs between the versions of sqm-scripts."""

    cake: tuple[str, ...]
    """Words that come before those of the configuration, in both directions."""
    use_mq: bool
    """Whether the option `use_mq` is known."""


SQM: Final = {
    "1.6": Sqm(("diffserv3",), use_mq=False),
    "1.7": Sqm(("diffserv3", "nat"), use_mq=True),
}


def ifb_of(device: str) -> str:
    """Return the name of sqm's ifb for a device: cut, so that long names can collide.

    >>> ifb_of("enxa0cec812eb2b")
    'ifb4enxa0cec812'
    """
    return (IFB_PREFIX + device)[:LONGEST]


def script_words(
    script: str, direction: str, version: str, *, wash: bool, plain: bool
) -> Sequence[str]:
    """Return the words that a script gives to cake by itself.

    Args:
        script: `piece_of_cake.qos` or `layer_cake.qos`.
        direction: `egress` or `ingress`.
        version: a key of `SQM`.
        wash: `squash_dscp`, which counts for what comes in.
        plain: `squash_ingress`, which counts for what comes in by `layer_cake.qos`.
    """
    words = list(SQM[version].cake)
    if script == "piece_of_cake.qos" or (direction == "ingress" and plain):
        words.append("besteffort")
    if direction == "ingress" and wash:
        words.append("wash")
    return words


def tbf_burst(kbit: int, mtu: int = 1500) -> int:
    """Return the bucket that `simplest_tbf.qos` makes: 1 ms of the rate, at least a frame on ATM.

    >>> tbf_burst(10_000), tbf_burst(1_000_000)
    (1749, 125000)
    """
    return max(1000 * kbit // 8000, (mtu + 48 + 47) // 48 * 53)
