"""What the kernel, the firewall, the network and tcc's own state hand to tcc.

Only the requests come from strangers. The rest is written by whoever is root, or names devices;
it is tried all the same, for a watch that breaks shapes nothing.
"""

import contextlib
import hashlib
import json
import socket
import struct
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from prometheus_client.parser import text_string_to_metric_families

from tcc.apply import records
from tcc.apply.identity import Identity
from tcc.apply.journal import Journal
from tcc.apply.stored import DamagedError
from tcc.cli.show import harmless as shown
from tcc.facts import firewall as walls
from tcc.netlink import actions, filters, kinds, links, messages, samples, wireguard
from tcc.netlink.attributes import attribute
from tcc.netlink.handle import CLSACT_INGRESS
from tcc.netlink.messages import RTM_NEWLINK, RTM_NEWQDISC, RTM_NEWTFILTER
from tcc.netlink.objects import TcObject
from tcc.netlink.wire import DecodeError, EncodeError
from tcc.status import redirects
from tcc.status.document import Moment, Ours, shapers
from tcc.status.metrics import as_openmetrics
from tcc.status.model import VERSION, Status, as_json
from tcc.status.observer import NO_DRIFT
from tcc.status.reader import Device, Look, printable
from tcc.status.server import MetricsServer
from tcc.status.text import as_text
from tests.fuzz.target import ROOT, Fault, Target, folder, harmless, text_of
from tests.status.test_samples import message

LINK_KINDS = range(16, 20)  # RTM_NEWLINK ... RTM_SETLINK
FILTER_KINDS = range(44, 48)
HEADER = struct.Struct("=IHHII")
ANSWER = b"# EOF\n"
PLAIN = ANSWER, b"the metrics are at /metrics\n"
"""Answers to a request of HTTP 0.9, which has no head."""
LIFE = Identity(1, 2, "boot", 3)
DOCUMENTS = {
    "identity": "identity-1", "owned": "owned-2", "journal": "change-3", "pending": "pending-1",
    "guard": "guard-1", "expired": "expired-1", "history/000001": "change-3",
}  # fmt: skip


def netlink(data: bytes) -> None:
    """Decode a datagram of the kernel: links, qdiscs, classes, filters, and their options."""
    try:
        found = messages.split(data, len(data))
    except DecodeError:
        return
    for _, reply in found:
        with contextlib.suppress(DecodeError):
            _decoded(reply)


def _decoded(reply: messages.Reply) -> None:
    if reply.type in LINK_KINDS:
        links.parse(reply)
    elif reply.type in FILTER_KINDS:
        _filter(TcObject(*reply))
    elif reply.type < LINK_KINDS.start:
        list(wireguard.told(reply.data[reply.start : reply.stop]))
    else:
        _qdisc(TcObject(*reply))


def _qdisc(one: TcObject) -> None:
    _ = one.attributes, one.counters, one.handle, one.parent
    if one.kind in kinds.KINDS:
        if one.options is not None:
            kinds.decode_options(one.kind, one.options)
        if one.xstats is not None:
            kinds.decode_stats(one.kind, one.xstats)


def _filter(one: TcObject) -> None:
    _ = filters.priority(one), filters.protocol(one), filters.chain(one)
    try:
        options = dict(filters.decode_filter(one.kind, one.options or b""))
    except EncodeError:  # of a kind that tcc does not know
        return
    if isinstance(chosen := options.get("SEL"), bytes):
        filters.parse_selector(chosen)
    acts = options.get("ACT")
    for _, act in acts if isinstance(acts, list) else ():
        actions.parse_action(act)


def status(data: bytes) -> None:
    """Tell as `tcc status` does what a datagram says of devices, qdiscs and redirects."""
    try:
        found = [reply for _, reply in messages.split(data, len(data))]
        now = Moment(_look(found, 2 * 10**9), _redirects(found))
    except DecodeError:
        return
    before = replace(now, look=_look(found[::2], 10**9))
    made = shapers(now, before, Ours({"eth0": "wan"}, {"ifb0": "eth0"}), lambda _: True)
    told = Status(VERSION, now.look.time, 10**9, made, NO_DRIFT)
    harmless(shown(as_text(told, queues=True)))
    json.loads(as_json(told))
    try:
        list(text_string_to_metric_families(as_openmetrics(told)))
    except ValueError as problem:
        raise Fault(f"Prometheus would not read it: {problem}") from problem


def _look(found: list[messages.Reply], clock: int) -> Look:
    devices = [links.parse(reply) for reply in found if reply.type == RTM_NEWLINK]
    listed = [samples.sample(*reply) for reply in found if reply.type == RTM_NEWQDISC]
    named = {one.ifindex: Device(printable(one.name), one.kind) for one in devices}
    return Look(clock, clock, listed, named)


def _redirects(found: list[messages.Reply]) -> dict[int, redirects.Found]:
    listed = [TcObject(*reply) for reply in found if reply.type == RTM_NEWTFILTER]
    return {one.ifindex: told for one in listed for told in redirects.of_filter(one)}


def firewall(data: bytes) -> None:
    """Read what nft lists, and behind a NUL what iptables-save prints."""
    ruleset, _, saved = text_of(data).partition("\0")
    walls.told(ruleset, {"iptables-save": saved, "ip6tables-save": None})


class _Strict(MetricsServer):
    """Hides no fault: a client that went away is the only excuse."""

    def handle_error(self, request: object, client_address: object) -> None:
        raise  # noqa: PLE0704  (it is called where one is handled)


@cache
def _server() -> MetricsServer:
    return _Strict(("127.0.0.1", 0), ANSWER.decode)


def request(data: bytes) -> None:
    """Ask the metrics endpoint what a stranger may ask."""
    here, there = socket.socketpair()
    with here, contextlib.suppress(ConnectionError):
        here.sendall(data)
        here.shutdown(socket.SHUT_WR)
        _server().process_request(there, ("127.0.0.1", 0))
        said = here.makefile("rb").read()
        head, _, body = said.partition(b"\r\n\r\n")
        if said and said not in PLAIN:
            _answered(head, body)


def _answered(head: bytes, body: bytes) -> None:
    first, *fields = head.split(b"\r\n")
    if not first.startswith((b"HTTP/1.0 ", b"<!DOCTYPE")):
        raise Fault(f"that is no answer: {first[:80]!r}")
    names = {field.partition(b":")[0] for field in fields}
    known = {b"Server", b"Date", b"Connection", b"Content-Type", b"Content-Length"}
    if first.startswith(b"HTTP") and not names <= known | {b"Cache-Control"}:
        raise Fault(f"a header that a request brought about: {names - known!r}")
    if b"<script" in body or any(one < 32 and one not in b"\n\r\t" for one in head + body):
        raise Fault("an answer has in it what a request had")


def state(data: bytes) -> None:
    """Read the state directory with one document damaged: as bytes, or with a checksum made new."""
    if not data:
        return
    name, kind = list(DOCUMENTS.items())[data[0] % len(DOCUMENTS)]
    journal = _journal()
    place = journal.path / name
    whole = place.read_bytes() if place.exists() else None
    place.write_bytes(data[1:] if data[0] < 128 else _sealed(kind, data[1:]))
    try:
        for read in (journal.owned, journal.unfinished, journal.last, journal.steps,
                     journal.pending, journal.guard, journal.expired):  # fmt: skip
            with contextlib.suppress(DamagedError):
                read()
    finally:
        place.unlink()
        if whole is not None:
            place.write_bytes(whole)


def _sealed(kind: str, body: bytes) -> bytes:
    digest = hashlib.sha256(body).hexdigest()
    return f"tcc-state {kind} {len(body)} {digest}\n".encode() + body


@cache
def _journal() -> Journal:
    journal = Journal(folder() / "state", LIFE)
    with journal.held("fuzz"):
        pass
    return journal


def _datagrams() -> Iterator[bytes]:
    for path in sorted((ROOT / "tests/data/tc-bytes").glob("captured*.txt")):
        for line in path.read_text().splitlines():
            if not line.startswith("tc "):
                yield bytes.fromhex(line)
    yield from _told()


def _told() -> Iterator[bytes]:
    """Yield a datagram of devices, a qdisc and a redirect, as the kernel would write them."""
    for kind in ("cake", "cake_mq", "tbf"):
        yield b"".join(
            [
                _message(RTM_NEWLINK, _device(4, b"eth0", b"")),
                _message(RTM_NEWLINK, _device(5, b"ifb0", b"ifb")),
                _message(RTM_NEWQDISC, message(kind, tins=3)),
                _message(RTM_NEWTFILTER, _redirect(4, 5)),
            ]
        )


def _message(kind: int, body: bytes) -> bytes:
    return HEADER.pack(HEADER.size + len(body), kind, 2, 7, 0) + body + bytes(-len(body) % 4)


def _device(number: int, name: bytes, kind: bytes) -> bytes:
    info = attribute(18, attribute(1, kind + b"\0"))
    return struct.pack("=BxHiII", 0, 1, number, 1, 0) + attribute(3, name + b"\0") + info


def _redirect(at: int, to: int) -> bytes:
    parms = {"index": 1, "capab": 0, "action": 4, "refcnt": 1, "bindcnt": 1}
    parms |= {"eaction": actions.EGRESS_REDIRECT, "ifindex": to}
    options = filters.everything("matchall", [actions.action("mirred", [("PARMS", parms)])])
    told = filters.FilterMessage(at, CLSACT_INGRESS, 49, kind="matchall", options=options, handle=1)
    return told.body()


def _rulesets() -> Iterator[bytes]:
    mark = {"meta": {"key": "mark"}}
    rule = {"family": "inet", "table": "x", "chain": "y", "expr": [
        {"match": {"op": "==", "left": {"&": [mark, 255]}, "right": {"prefix": {"len": 8}}}},
        {"mangle": {"key": {"ct": {"key": "mark"}}, "value": {"|": [mark, 1]}}},
        {"xt": {"type": "target", "name": "CONNMARK"}},
    ]}  # fmt: skip
    table = {"family": "inet", "table": "x", "name": "f", "dev": ["eth0"], "flags": "offload"}
    ruleset = json.dumps({"nftables": [{"rule": rule}, {"flowtable": table}]}).encode()
    yield (
        ruleset + b"\0*mangle\n-A PREROUTING -m mark --mark 0x1/0xff -j CONNMARK --save-mark"
        b" --nfmask 0xff --ctmask 0xff\n-A OUTPUT -m comment --comment \"a 'b' c\" -j MARK"
        b" --or-mark 0x10\nCOMMIT\n"
    )


def _requests() -> Iterator[bytes]:
    yield b"GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: application/openmetrics-text\r\n\r\n"
    yield b"HEAD /metrics?x=%0d%0a HTTP/1.0\r\n\r\n"
    yield b"GET /<script> HTTP/1.1\r\nExpect: 100-continue\r\nX: a\r\n b\r\n\r\n"
    yield b"POST /metrics HTTP/9.9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    yield b"GET /metrics\r\n"


def _states() -> Iterator[bytes]:
    record = json.dumps(records.record_to_json(records.Record("tcc apply", "now", {}, {}))).encode()
    bodies = {
        "identity": b'["boot", 3]',
        "owned": b'{"places": [{"device": "a0", "at": "root", "link": "", "kind": "tbf", '
        b'"handle": 65536}]}',
        "pending": b'{"id": "x", "first": 1, "deadline": 60, "until": "", "command": "", '
        b'"changer": [1, 2], "boot": "boot"}',
        "guard": b'{"id": "x", "pid": 1, "start": 2}',
        "expired": b'{"said": "x"}',
    }
    for number, (name, kind) in enumerate(DOCUMENTS.items()):
        body = bodies.get(name, record)
        yield bytes([number]) + _sealed(kind, body)
        first = next(one for one in range(128, 256) if one % len(DOCUMENTS) == number)
        yield bytes([first]) + body


TARGETS = {
    "netlink": Target(netlink, _datagrams),
    "status": Target(status, _told),
    "firewall": Target(firewall, _rulesets),
    "request": Target(request, _requests),
    "state": Target(state, _states),
}
