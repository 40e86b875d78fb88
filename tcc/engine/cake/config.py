"""What a CAKE instance is told: the attributes of tc-cake(8), in the kernel's units.

`merge` does to a configuration what a netlink change does: attributes that are present replace
what was there, the rest stays, and values are cut to the width the kernel stores (cake_change()
in net/sched/sch_cake.c; CAKE specification sections 1.2 and 1.3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

U64_MAX = 2**64 - 1
U32_MAX = 2**32 - 1

# TCA_CAKE_*, include/uapi/linux/pkt_sched.h
BASE_RATE64, DIFFSERV_MODE, ATM, FLOW_MODE, OVERHEAD, RTT, TARGET, AUTORATE, MEMORY = range(2, 11)
NAT, RAW, WASH, MPU, INGRESS, ACK_FILTER, SPLIT_GSO, FWMARK = range(11, 19)

# What a scan of the other queues does in cake_mq, by the commit that changed it.
MQ_KERNELS = ("before-15c2715a5264", "net-next-15c2715a5264", "a3729e0df005-or-later")


@dataclass(frozen=True, slots=True)
class CakeConfig:
    """How a CAKE instance is set up.

    Attributes:
        rate: bytes/s; 0 is unlimited.
        tins: 0 diffserv3, 1 diffserv4, 2 diffserv8, 3 besteffort, 4 precedence.
        flow_mode: bits 1 source host, 2 destination host, 4 flows; 7 is triple-isolate.
        nat: look up the addresses behind NAT.  The hashes of a packet are given, so all it does
            here is to let flowblind hash like the other modes.
        interval: CoDel's interval, in microseconds.
        target: CoDel's target, in microseconds.
        memory: bytes; 0 lets the rate decide.
        overhead: bytes added to each packet, signed.
        network_size: sizes count from the network header (`overhead`), not of the whole packet
            (`raw`).
        mpu: smallest size, in bytes.
        cells: 0 none, 1 ATM, 2 PTM.
        ack_filter: 0 off, 1 on, 2 aggressive.
        fwmark: mask of the packet mark that chooses the tin.
        wash: clear the DSCP.
        ingress: count dropped packets as sent.
        autorate: estimate the rate from what arrives (`autorate-ingress`).
        split_gso: split super-packets.
        split_up_to: split them only if the rate is set and at most this, in bytes/s; 0 for no
            such rule.  125,000,000 is CAKE's former rule.
        split_above: split only packets longer than this, in bytes; no kernel has it.
        mq_kernel: what a cake_mq child does when it scans the others, by kernel.
    """

    rate: int = 0
    tins: int = 0
    flow_mode: int = 7
    nat: bool = False
    interval: int = 100_000
    target: int = 5_000
    memory: int = 0
    overhead: int = 0
    network_size: bool = False
    mpu: int = 0
    cells: int = 0
    ack_filter: int = 0
    fwmark: int = 0
    wash: bool = False
    ingress: bool = False
    autorate: bool = False
    split_gso: bool = True
    split_up_to: int = 0
    split_above: int = 0
    mq_kernel: str = MQ_KERNELS[2]

    def __post_init__(self) -> None:
        """Refuse what the kernel could not store.

        Raises:
            ValueError: names every field that is out of range.
        """
        limits = {
            "rate": (0, U64_MAX), "tins": (0, 255), "flow_mode": (0, 63),
            "interval": (1, U32_MAX), "target": (1, U32_MAX), "memory": (0, U32_MAX),
            "overhead": (-32768, 32767), "mpu": (0, 65535), "cells": (0, 255),
            "ack_filter": (0, 255), "fwmark": (0, U32_MAX),
            "split_up_to": (0, U64_MAX), "split_above": (0, U32_MAX),
        }  # fmt: skip
        wrong = [
            f"{name} is {getattr(self, name)}, not in {low}..{high}"
            for name, (low, high) in limits.items()
            if not low <= getattr(self, name) <= high
        ]
        if self.mq_kernel not in MQ_KERNELS:
            wrong.append(f"mq_kernel is {self.mq_kernel!r}, not one of {', '.join(MQ_KERNELS)}")
        if wrong:
            raise ValueError("; ".join(wrong))


def signed(value: int, bits: int) -> int:
    """Return the low bits of a number as a signed one."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def merge(config: CakeConfig, attributes: Mapping[int, int]) -> CakeConfig:
    """Return the configuration after a change that carries these attributes.

    RAW counts by being there, whatever its value, and is looked at after OVERHEAD.
    """
    stored: dict[int, tuple[str, Callable[[int], int]]] = {
        BASE_RATE64: ("rate", lambda value: value & U64_MAX),
        DIFFSERV_MODE: ("tins", lambda value: value & 0xFF),
        ATM: ("cells", lambda value: value & 0xFF),
        FLOW_MODE: ("flow_mode", lambda value: value & 63),
        OVERHEAD: ("overhead", lambda value: signed(value, 16)),
        RTT: ("interval", lambda value: (value & U32_MAX) or 1),
        TARGET: ("target", lambda value: (value & U32_MAX) or 1),
        AUTORATE: ("autorate", bool),
        MEMORY: ("memory", lambda value: value & U32_MAX),
        NAT: ("nat", bool),
        WASH: ("wash", bool),
        MPU: ("mpu", lambda value: value & 0xFFFF),
        INGRESS: ("ingress", bool),
        ACK_FILTER: ("ack_filter", lambda value: value & 0xFF),
        SPLIT_GSO: ("split_gso", bool),
        FWMARK: ("fwmark", lambda value: value & U32_MAX),
    }
    changes: dict[str, Any] = {
        name: narrow(attributes[number])
        for number, (name, narrow) in stored.items()
        if number in attributes
    }
    if OVERHEAD in attributes:
        changes["network_size"] = True
    if RAW in attributes:
        changes["network_size"] = False
    return replace(config, **changes)


def resets_lengths(attributes: Mapping[int, int]) -> bool:
    """Say whether a change with these attributes forgets the longest and shortest packet."""
    return OVERHEAD in attributes or RAW in attributes


def dump(config: CakeConfig) -> list[tuple[int, int]]:
    """Return the attributes of a configuration, in the kernel's order (cake_dump())."""
    found = [
        (BASE_RATE64, config.rate),
        (FLOW_MODE, config.flow_mode),
        (RTT, config.interval),
        (TARGET, config.target),
        (MEMORY, config.memory),
        (AUTORATE, int(config.autorate)),
        (INGRESS, int(config.ingress)),
        (ACK_FILTER, config.ack_filter),
        (NAT, int(config.nat)),
        (DIFFSERV_MODE, config.tins),
        (WASH, int(config.wash)),
        (OVERHEAD, config.overhead),
    ]
    if not config.network_size:
        found.append((RAW, 0))
    return [
        *found,
        (ATM, config.cells),
        (MPU, config.mpu),
        (SPLIT_GSO, int(config.split_gso)),
        (FWMARK, config.fwmark),
    ]
