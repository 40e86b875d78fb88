"""A route socket: requests with their answers, dumps, batches, events.

One `RouteSocket` belongs to one thread.  The kernel carries a request out
while it is being sent, so an answer is there as soon as `send` returns; what
is missing then was lost for want of receive buffer (ENOBUFS) and is reported
as such, never waited for.
"""

import errno
import select
import socket
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tcc.closing import Closing
from tcc.netlink.messages import (
    NLM_F_ACK,
    NLM_F_DUMP,
    NLM_F_DUMP_INTR,
    NLM_F_REQUEST,
    NLMSGHDR,
    Ack,
    KernelRefusal,
    Made,
    Message,
    Reply,
    acks,
    answers_to,
    parse_ack,
    split,
)
from tcc.netlink.namespace import Namespace, route_socket

SOL_NETLINK: Final = 270
NETLINK_ADD_MEMBERSHIP: Final = 1
NETLINK_CAP_ACK: Final = 10
NETLINK_EXT_ACK: Final = 11
NETLINK_GET_STRICT_CHK: Final = 12
SO_RCVBUFFORCE: Final = 33

LARGEST_DATAGRAM: Final = 1 << 20
LARGEST_SEND: Final = 1 << 16  # well below the send buffer that every kernel grants
PATIENCE: Final = 5  # seconds without a byte before a dump counts as lost
DUMP_ATTEMPTS: Final = 8
SEQUENCE_LIMIT: Final = 1 << 32
AT_ONCE: Final = socket.MSG_DONTWAIT | socket.MSG_TRUNC
LOST_TEXT: Final = "the kernel's answer was lost: the receive buffer was full"


class DumpInterrupted(OSError):  # noqa: N818 - says what happened
    """What was being listed changed during every attempt to list it."""

    def __init__(self) -> None:
        super().__init__(errno.EAGAIN, f"the kernel's tables changed in {DUMP_ATTEMPTS} dumps")


class RouteSocket(Closing):
    """A netlink route socket in a namespace; a context manager.

    Args:
        namespace: where to be; None is where the process is.
        receive_buffer: bytes that the kernel may queue for us.  Above the
            system's limit only with CAP_NET_ADMIN; less is no error.
        protocol: another one than NETLINK_ROUTE, whose messages are framed alike.

    Raises:
        FileNotFoundError, PermissionError: as `route_socket`.
    """

    def __init__(
        self,
        namespace: Namespace | None = None,
        *,
        receive_buffer: int = 1 << 22,
        protocol: int = socket.NETLINK_ROUTE,
    ) -> None:
        self._socket = route_socket(namespace, protocol)
        self._buffer = bytearray(LARGEST_DATAGRAM)
        self._view = memoryview(self._buffer)
        self._sequence = 1
        self._poll = select.poll()
        self._poll.register(self._socket, select.POLLIN)
        try:
            self._configure(receive_buffer)
        except OSError:
            self.close()
            raise

    def _configure(self, receive_buffer: int) -> None:
        sock = self._socket
        for option in (NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK):
            try:
                sock.setsockopt(SOL_NETLINK, option, 1)
            except OSError as problem:  # kernels before 4.12, 4.3, 4.20
                if problem.errno != errno.ENOPROTOOPT:
                    raise
        try:
            sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, receive_buffer)
        except PermissionError:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.connect((0, 0))  # answers from anyone but the kernel are refused

    def close(self) -> None:
        """Give the socket back; a second time does nothing."""
        self._socket.close()

    def fileno(self) -> int:
        """The descriptor, for select and poll."""
        return self._socket.fileno()

    def subscribe(self, *groups: int) -> None:
        """Join multicast groups (RTNLGRP_*); `receive` then brings their messages."""
        for group in groups:
            self._socket.setsockopt(SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, group)

    def receive(self, timeout: float | None = None) -> list[Reply]:
        """Return the messages of one datagram; none after `timeout` seconds.

        Raises:
            OSError: ENOBUFS, when events were lost: read the state anew.
        """
        if not self._poll.poll(None if timeout is None else timeout * 1000):
            return []
        return [reply for _, reply in split(*self._datagram())]

    def _datagram(self) -> tuple[bytes, int]:
        size = self._socket.recv_into(self._buffer, 0, socket.MSG_TRUNC)
        if size > LARGEST_DATAGRAM:
            raise OSError(errno.EMSGSIZE, f"a datagram of {size} bytes from the kernel")
        return bytes(self._view[:size]), size

    def request(self, message: Message) -> Ack:
        """Send one request and return the kernel's answer; `text` may hold a warning.

        Raises:
            KernelRefusal: the kernel refused it, with its sentence.
        """
        ack = self.batch([message])[0]
        if not ack.ok:
            raise KernelRefusal(ack)
        return ack

    def batch(
        self, messages: Iterable[Message], window: int = 200, *, stop_on_error: bool = False
    ) -> list[Ack]:
        """Send requests, `window` at a time, and return one answer each, in order.

        A refused request does not keep the others from being sent, and what
        was done is not undone: tc has no transactions.  With `stop_on_error`
        they go one by one, and the list ends with the first refusal.
        """
        done: list[Ack] = []
        waiting = list(messages)
        step = 1 if stop_on_error else max(1, window)
        while len(done) < len(waiting):
            part = _fitting(waiting, len(done), step)
            answers = self._exchange(part, len(done))
            done += answers
            if stop_on_error and not answers[-1].ok:
                break
            if any(ack.text == LOST_TEXT for ack in answers):
                step = max(1, step // 4)  # leave the kernel more room for its answers
        return done

    def _exchange(self, messages: Sequence[Message], first: int) -> list[Ack]:
        """Send `messages` in one datagram and return their answers, numbered from `first`."""
        start = self._take_sequence(len(messages))
        parts: list[bytes] = []
        for sequence, (kind, flags, body) in enumerate(messages, start):
            asked = flags | NLM_F_REQUEST | NLM_F_ACK
            length = NLMSGHDR.size + len(body)
            parts += (NLMSGHDR.pack(length, kind, asked, sequence, 0), body, bytes(-length & 3))
        self._socket.send(b"".join(parts))
        answers: list[Ack | None] = [None] * len(messages)
        missing = len(messages)
        while missing and (size := self._waiting()):
            for ack in acks(self._view, size, first - start):
                if 0 <= ack.request - first < len(messages):
                    answers[ack.request - first] = ack
                    missing -= 1
        return [
            answer or Ack(request, errno.ENOBUFS, LOST_TEXT)
            for request, answer in enumerate(answers, first)
        ]

    def _waiting(self) -> int:
        """Read the next answer into the buffer; return its size, 0 if there is none."""
        while True:
            try:
                return self._socket.recv_into(self._buffer, 0, AT_ONCE)
            except BlockingIOError:
                return 0
            except OSError as problem:  # answers were lost; what is there can still be read
                if problem.errno != errno.ENOBUFS:
                    raise

    def _take_sequence(self, count: int) -> int:
        """Return the first of `count` numbers that follow one another."""
        if self._sequence + count > SEQUENCE_LIMIT:
            self._sequence = 1
        start = self._sequence
        self._sequence += count
        return start

    def get(self, message: Message) -> Reply:
        """Send a request for one object and return it.

        Raises:
            KernelRefusal: there is no such object, or it may not be seen.
        """
        replies, _ = self._collect(message, NLM_F_ACK, Reply)
        if not replies:
            raise KernelRefusal(Ack(0, errno.ENODATA))
        return replies[0]

    def dump(
        self, message: Message, make: Callable[[int, int, bytes, int, int], Made]
    ) -> list[Made]:
        """Send a request for all objects and return what `make` makes of them.

        `make` is called with what a `Reply` holds: `Reply` itself, `TcObject`,
        or a function.

        A dump during which the kernel's tables changed is not consistent and
        is made again, which is why this is a list and not an iterator.

        Raises:
            KernelRefusal: the request was refused.
            DumpInterrupted: no attempt was undisturbed.
        """
        for _ in range(DUMP_ATTEMPTS):
            try:
                replies, consistent = self._collect(message, NLM_F_DUMP, make)
            except OSError as problem:
                if isinstance(problem, KernelRefusal) or problem.errno != errno.ENOBUFS:
                    raise
                self._drain()
                continue
            if consistent:
                return replies
        raise DumpInterrupted

    def _collect(
        self, message: Message, extra: int, make: Callable[[int, int, bytes, int, int], Made]
    ) -> tuple[list[Made], bool]:
        """Send one request; return its answers, and whether they belong together."""
        sequence = self._take_sequence(1)
        flags = message.flags | NLM_F_REQUEST | extra
        length = NLMSGHDR.size + len(message.body)
        self._socket.send(NLMSGHDR.pack(length, message.type, flags, sequence, 0) + message.body)
        replies: list[Made] = []
        marks = 0
        while self._poll.poll(PATIENCE * 1000):
            data, size = self._datagram()
            found, flags, end = answers_to(sequence, data, size, make)
            replies += found
            marks |= flags
            if end is not None:
                ack = parse_ack(end, 0)
                if not ack.ok:
                    raise KernelRefusal(ack)
                return replies, not (marks & NLM_F_DUMP_INTR and extra == NLM_F_DUMP)
        raise TimeoutError(errno.ETIMEDOUT, f"no answer from the kernel in {PATIENCE} s")

    def _drain(self) -> None:
        """Read what is left of a broken dump, so that another one may start."""
        while self._waiting():
            pass


def _fitting(messages: Sequence[Message], first: int, most: int) -> Sequence[Message]:
    """Return up to `most` messages from `first` on that fit in one send; at least one."""
    size = 0
    last = first
    while last < min(len(messages), first + most):
        size += NLMSGHDR.size + len(messages[last].body) + 3
        if size > LARGEST_SEND and last > first:
            break
        last += 1
    return messages[first:last]
