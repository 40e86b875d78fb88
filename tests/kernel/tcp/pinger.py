"""ICMP echoes at fixed times, by a process that never polls its clock.

    python pinger.py HOST INTERVAL COUNT [TOS]

Prints `time=` and milliseconds for each reply.
"""

import os
import select
import socket
import struct
import sys
import time


def checksum(packet: bytes) -> int:
    """Return the checksum of RFC 1071."""
    total = sum(struct.unpack(f"!{len(packet) // 2}H", packet))
    total = (total >> 16) + (total & 0xFFFF)
    total += total >> 16
    return ~total & 0xFFFF


def request(ident: int, number: int) -> bytes:
    """Return an echo request."""
    packet = struct.pack("!BBHHH", 8, 0, 0, ident, number & 0xFFFF) + bytes(56)
    return packet[:2] + struct.pack("!H", checksum(packet)) + packet[4:]


def main(host: str, interval: float, count: int, tos: int) -> None:
    """Send, and print what comes back."""
    link = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    link.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, tos)
    ident, sent, number = os.getpid() & 0xFFFF, {}, 0
    began = time.monotonic()
    end = began + count * interval + 2
    while True:
        due = began + number * interval if number < count else end
        now = time.monotonic()
        if now >= due:
            if number >= count:
                break
            sent[number] = time.monotonic()
            link.sendto(request(ident, number), (host, 0))
            number += 1
        elif select.select([link], [], [], due - now + 1e-5)[0]:
            reply = link.recv(2048)
            now = time.monotonic()
            kind, _, _, whose, which = struct.unpack("!BBHHH", reply[20:28])
            if kind == 0 and whose == ident and which in sent:
                print(f"time={1000 * (now - sent.pop(which)):.3f}")
            if number >= count and not sent:
                break


if __name__ == "__main__":
    words = sys.argv[1:]
    main(words[0], float(words[1]), int(words[2]), int(words[3], 0) if len(words) > 3 else 0)
