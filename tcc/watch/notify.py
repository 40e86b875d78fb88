"""Telling systemd how a service is: sd_notify(3), in the datagrams it is made of."""

import os
import socket
import time
from dataclasses import dataclass, field
from typing import Final

PATIENCE: Final = 1.0
"""Seconds to wait for a manager that reads nothing."""


@dataclass
class Notify:
    """Speaks to the socket that NOTIFY_SOCKET names; to nobody where it names none."""

    address: str = field(default_factory=lambda: os.environ.get("NOTIFY_SOCKET", ""))

    @property
    def interval(self) -> float | None:
        """Seconds between two signs of life; None where nobody waits for them (WATCHDOG_USEC)."""
        microseconds = os.environ.get("WATCHDOG_USEC", "")
        for_us = os.environ.get("WATCHDOG_PID", "") in {"", str(os.getpid())}
        if not self.address or not microseconds.isdecimal() or not for_us:
            return None
        return int(microseconds) / 2e6 or None

    def ready(self, status: str) -> None:
        """The service does what it is for."""
        self._send(f"READY=1\nSTATUS={status}")

    def reloading(self) -> None:
        """The service reads its policies again; `ready` follows."""
        self._send(f"RELOADING=1\nMONOTONIC_USEC={time.monotonic_ns() // 1000}")

    def alive(self) -> None:
        """The service is alive."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """The service ends."""
        self._send("STOPPING=1")

    def _send(self, text: str) -> None:
        if not self.address:
            return
        address = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        flags = socket.SOCK_DGRAM | socket.SOCK_CLOEXEC
        try:
            with socket.socket(socket.AF_UNIX, flags) as sock:
                sock.settimeout(PATIENCE)
                sock.sendto(text.encode("utf-8", "replace"), address)
        except OSError:  # nobody to tell: no reason to end
            return
