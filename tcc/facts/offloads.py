"""Which offloads of a device are on, asked the way that ethtool(8) asks (SIOCETHTOOL).

Source: include/uapi/linux/ethtool.h; the names of features are net/ethtool/common.c's.
"""

import array
import fcntl
import struct
from typing import Final

SIOCETHTOOL: Final = 0x8946
GSTRINGS, GSSET_INFO, GFEATURES = 0x1B, 0x37, 0x3A
SS_FEATURES: Final = 4
STRING: Final = 32
BITS: Final = 32
_IFREQ = struct.Struct("16sP16x")
_BLOCK = struct.Struct("=IIII")  # available, requested, active, never changed

NAMES: Final = {
    "tx-tcp-segmentation": "tso",
    "tx-generic-segmentation": "gso",
    "rx-gro": "gro",
    "rx-gro-hw": "rx-gro-hw",
    "rx-gro-list": "rx-gro-list",
    "rx-lro": "lro",
    "tx-udp-segmentation": "tx-udp-segmentation",
    "hw-tc-offload": "hw-tc-offload",
}
"""Those that matter to shaping, with the names that `ethtool -K` takes."""


class Offloads:
    """Asks about devices by name through one socket, in whose namespace they are."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._places: dict[int, str] | None = None

    def on(self, device: str) -> tuple[str, ...] | None:
        """Return what is on, sorted; None where the driver or a name does not tell."""
        try:
            if self._places is None:
                self._places = self._named(device)
            count = max(self._places, default=0) + 1
            active = self._active(device, -(-count // BITS))
        except (OSError, struct.error):
            return None
        return tuple(
            sorted(
                name
                for place, name in self._places.items()
                if active[place // BITS] >> (place % BITS) & 1
            )
        )

    def _ask(self, device: str, request: bytes) -> bytes:
        buffer = array.array("B", request)
        name = device.encode("utf-8", "surrogateescape")
        fcntl.ioctl(self._descriptor, SIOCETHTOOL, _IFREQ.pack(name, buffer.buffer_info()[0]))
        return buffer.tobytes()

    def _named(self, device: str) -> dict[int, str]:
        """Return which bit is which feature; the same for every device of a kernel."""
        info = self._ask(device, struct.pack("=IIQI", GSSET_INFO, 0, 1 << SS_FEATURES, 0))
        count = struct.unpack_from("=I", info, 16)[0]
        head = struct.pack("=III", GSTRINGS, SS_FEATURES, count)
        told = self._ask(device, head + bytes(STRING * count))
        names = (
            told[12 + STRING * place : 12 + STRING * (place + 1)].partition(b"\0")[0].decode()
            for place in range(count)
        )
        return {place: NAMES[name] for place, name in enumerate(names) if name in NAMES}

    def _active(self, device: str, blocks: int) -> list[int]:
        head = struct.pack("=II", GFEATURES, blocks)
        told = self._ask(device, head + bytes(_BLOCK.size * blocks))
        return [_BLOCK.unpack_from(told, 8 + _BLOCK.size * index)[2] for index in range(blocks)]
