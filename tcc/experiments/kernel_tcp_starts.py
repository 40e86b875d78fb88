"""The flows of a recorded run: what iperf3 does before it sends, and when that is.

An iperf3 client connects for control, then once for each stream, one after the other, and sends a
cookie of 37 bytes first.  Its server acknowledges the cookies and says two words of a byte each,
that the test starts and that it runs.  A server that is to send begins at once, a client when it
finds the second word.

The guest has one processor, and from when its streams are connected a client that is to send holds
it: select() finds a stream writable, so it asks again, without sleeping.  Whatever else wants to
run waits for the next tick of the guest's clock, a millisecond.  So servers begin at ticks.  Four
such clients take turns of a tick each.  The timers of two pings and their answers wake processes,
which cuts up to three turns short; who lost one has it after the turn that follows.

Seen with the tracepoints sched_switch, net_dev_queue and tcp_probe of a guest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tcc.experiments.kernel_tcp_moments import MARKS, Starts, Stream, measured

if TYPE_CHECKING:
    from tcc.engine.random import Random
    from tcc.engine.results import Watch
    from tcc.engine.simulation import Simulation

    Times = tuple[int, ...]

US = 1_000  # ns
TICK = 1_000_000
SECOND = 1_000_000_000
PING = 20  # ticks
NOISE = 100 * US  # how exactly a moment between two ticks is known
READING = 200 * US  # within this, a client finds its word after another in the same turn
CONNECTING = 4  # round trips from a client's start, and the pings', to the end of its handshakes
BARE = 66  # bytes of an acknowledgement, such as ends a handshake
COOKIE = 103  # bytes of a cookie
UDP = 42  # bytes of headers of a datagram
SLOW = 1000  # bit/s; the next datagram would come much later
EF = 46
READS = 3 * US  # from having the processor to having read
PING_RATE = 50  # a second


def add_flows(simulation: Simulation, row: dict[str, Any], chance: Random) -> None:
    """Add the pings and streams of a row, at the moments that it has or at ones that are drawn."""
    if row["kind"] != "rrul":
        add_pings(simulation, row, ((chance.draw_below(NOISE) + 300 * US,),))
        add_uploads(simulation, row, chance)
        return
    starts = measured(row["starts"]) if "starts" in row else drawn(row, chance)
    add_pings(simulation, row, starts.pings)
    add_both_ways(simulation, row, starts)


def add_pings(simulation: Simulation, row: dict[str, Any], pings: tuple[Times, ...]) -> None:
    """Add pings that are sent at those times (ns), and from the last on every 20 ms.

    Each is due a multiple of that after the first; a time in the list may be later.
    """
    count = PING_RATE * row["seconds"]
    for dscp, times in zip((0, EF), pings, strict=False):
        start, end = times[0] + PING * TICK * (len(times) - 1), times[0] + row["seconds"] * SECOND
        simulation.add_ping(PING * TICK, start=start, stop=end, dscp=dscp, keep=count)
    for dscp, times in zip((0, EF), pings, strict=False):
        for time in times[:-1]:
            simulation.add_ping(PING * TICK, start=time, stop=time + TICK, dscp=dscp)


def add_uploads(simulation: Simulation, row: dict[str, Any], chance: Random) -> None:
    """Add the streams of one client."""
    rtt = round(row["rtt_ms"] * TICK)
    flows = row["flows"]
    # CAKE lets a cookie go when the handshake's end before it has gone, and a stream's SYN behind
    # both of the stream before.  BBR looks for a round trip ten seconds after the least one.
    later = greeting = rtt
    if row["qdisc"].startswith("cake"):
        greeting += BARE * 8 * US // int(row["rate_mbit"])
        later += (BARE + COOKIE) * 8 * US // int(row["rate_mbit"])
    tick = (20 + (6 + flows) * -(-rtt // TICK)) * TICK  # the server's, after the last cookie
    last = tick - 900 * US + chance.draw_below(NOISE)
    start = tick + 2 * US + rtt
    simulation.add_tcp("down", start=tick + 2 * US, payload=2)  # both words come together
    for number in range(flows):
        simulation.add_tcp(
            "up",
            row["cc"],
            ecn=row["ecn"] == 1,
            start=start + (2 + 3 * number) * US,  # it writes to one after the other
            established=last - (flows - 1 - number) * later,
            handshake=later if number else rtt,
            greeting=greeting,
            stop=start + row["seconds"] * SECOND,
        )


def add_both_ways(simulation: Simulation, row: dict[str, Any], starts: Starts) -> None:
    """Add four streams each way, of eight clients and eight servers."""
    rtt = round(row["rtt_ms"] * TICK)
    cc, ecn, end = row["cc"], row["ecn"] == 1, row["seconds"] * SECOND
    for one in starts.streams:
        up = one.direction == "up"
        stream = simulation.add_tcp(
            "up" if up else "down",
            cc,
            ecn=ecn,
            dscp=one.dscp if up else 0,
            ack_dscp=0 if up else one.dscp,
            start=one.begins,
            established=one.cookie if up else one.connects + rtt,
            handshake=rtt,
            greeting=rtt if up else 0,
            turns=[turn + READS for turn in one.turns],
            stop=one.begins + end,
        )
        acknowledge(simulation, stream, one.cookie)
        speak(simulation, one.words)


def drawn(row: dict[str, Any], chance: Random) -> Starts:
    """Draw when the processes of a rrul begin."""
    rtt = round(row["rtt_ms"] * TICK)
    phase = chance.draw_below(NOISE)
    marks = list(MARKS)
    if chance.draw_below(2):  # of the processes started at once, the first one often runs last
        marks.append(marks.pop(0))
    first = 20 * TICK + 6 * rtt  # the tick at which the first server begins
    connects = first - TICK // 4 - rtt
    streams = []
    cookie = connects + rtt
    for number, (dscp, begin) in enumerate(zip(marks, begins(rtt, chance), strict=True)):
        tick = first + number * TICK
        up, down = (pair(tick + time * US) for time in (2, 5))
        streams += [
            Stream("up", dscp, connects, cookie, up, first + rtt + begin),
            Stream("down", dscp, connects, tick + 3 * US, down, tick + 8 * US),
        ]
        cookie = tick + 20 * US
    return Starts(((phase,), (phase,)), tuple(streams))


def pair(time: int) -> tuple[int, int]:
    """Return when a server says its two words."""
    return time, time + US // 2


def acknowledge(simulation: Simulation, stream: Watch, time: int) -> None:
    """Let a server acknowledge the cookie of a stream at `time` (ns)."""
    simulation.add_udp("down", SLOW, BARE - UDP, start=time, stop=time + TICK, like=stream)


def speak(simulation: Simulation, words: tuple[int, int]) -> None:
    """Let a server say its words at those times (ns); the client acknowledges each."""
    first = simulation.add_tcp("down", start=words[0], payload=1)
    simulation.add_tcp("down", start=words[1], payload=1, like=first)


def begins(rtt: int, chance: Random) -> list[int]:
    """Return when each client begins, after the first server's tick and a round trip (ns)."""
    found = found_at(rtt // TICK, cuts_of(rtt // TICK, chance))
    return [
        tick * TICK + 5 * US + (chance.draw_below(READING) if place else 0) for tick, place in found
    ]


def cuts_of(rtt: int, chance: Random) -> dict[int, int]:
    """Return how many turns are cut short at which ticks since the first server began.

    Args:
        rtt: ticks.
        chance: draws up to three for each ping, and for each answer.
    """
    sent = -CONNECTING * rtt % PING
    clusters = {tick % PING for tick in (sent, sent + rtt)}
    ticks = [tick for tick in range(rtt + len(MARKS)) if tick % PING in clusters]
    return {tick: chance.draw_below(4) for tick in ticks}


def found_at(rtt: int, cuts: dict[int, int]) -> list[tuple[int, int]]:
    """Return when each client finds its server's words: ticks since the first could, and place.

    The words of server k come at tick rtt + k.  The place says how many found theirs before in
    the same turn.
    """
    turns = list(range(len(MARKS)))
    found = [(0, 0)] * len(MARKS)
    tick = len(MARKS) - 1  # from then on all of them poll
    while turns:
        cut, place, passed = cuts.get(tick, 0), 0, []
        while turns:
            client = turns.pop(0)
            if tick >= rtt + client:
                found[client] = (tick - rtt, place)
                place += 1
            elif cut and turns:
                cut -= 1
                passed.append(client)
            else:
                turns.append(client)
                break
        turns = passed + turns
        tick += 1
    return found
