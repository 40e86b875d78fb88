"""Transports that fail where a test wants them to. The failures themselves are real ones."""

import os
import signal
import struct
from collections.abc import Iterator
from contextlib import contextmanager

from tcc.netlink.messages import Message
from tcc.netlink.transport import RouteSocket
from tcc_plugins.netlink import host as host_module

NO_DEVICE = 0x7FFFFFFF


def for_no_device(message: Message) -> Message:
    """The same request for a device that is not there, which the kernel refuses.

    One that makes a device is spoiled by asking for a kind that there is not.
    """
    if b"ifb\0" in message.body:
        return message._replace(body=message.body.replace(b"ifb\0", b"ifx\0"))
    # The device's number is at the same place in struct tcmsg and struct ifinfomsg.
    body = message.body[:4] + struct.pack("=i", NO_DEVICE) + message.body[8:]
    return message._replace(body=body)


class Counting(RouteSocket):
    """Counts the requests that change something."""

    sent = 0

    def batch(self, messages, *rest, **named):
        messages = list(messages)
        Counting.sent += len(messages)
        return super().batch(messages, *rest, **named)


class Refusing(RouteSocket):
    """Spoils request number `at`, counted from 0 over all sockets since `seen` was reset."""

    at = 0
    seen = 0

    def batch(self, messages, *rest, **named):
        spoiled = []
        for message in messages:
            spoiled.append(for_no_device(message) if Refusing.seen == Refusing.at else message)
            Refusing.seen += 1
        return super().batch(spoiled, *rest, **named)


class Dying(RouteSocket):
    """Kills its own process, as `kill -9` does, before request number `at` is sent."""

    at = 0
    seen = 0

    def batch(self, messages, *rest, **named):
        answers = []
        for message in messages:
            if Dying.seen == Dying.at:
                os.kill(os.getpid(), signal.SIGKILL)
            Dying.seen += 1
            answers += super().batch([message], *rest, **named)
        return answers


@contextmanager
def transport(kind: type[RouteSocket]) -> Iterator[None]:
    """Let hosts use this transport for the body of a `with`."""
    usual = host_module.RouteSocket
    host_module.RouteSocket = kind
    try:
        yield
    finally:
        host_module.RouteSocket = usual
