"""The moments at which the processes of a recorded rrul began: its row's `starts`.

They are what the guest's scheduler made of the recorder's script: initial conditions of the run,
like its rate and its round trip, and measured like them, by which packets were sent when.  Times
are microseconds after a tick of the guest's clock, of a millisecond:

    "starts": {
      "pings_us": [[361, 20361, ...], [463, ...]],
      "streams": [
        {"direction": "up", "dscp": 8, "connects_us": 240715, "cookie_us": 320716,
         "words_us": [321002, 321003], "begins_us": 404015, "turns_us": [403148, 403196]},
        ...
      ]
    }

`pings_us` has when the ping marked CS0 and the one marked EF sent, up to the first after the last
stream had begun; from there they go on every 20 ms.
`streams` are the eight streams in the order in which they connected: when the client's SYN left,
the client's cookie, each of the server's two words, and the first data.  Clients that poll hold the
processor until the last of them has begun; `turns_us` is when the stream's reader had it, and then.
"""

from __future__ import annotations

from dataclasses import dataclass

US = 1_000  # ns
STREAMS = 8
MARKS = (0, 8, 40, 46)  # DSCP, in the order in which clients are started
CURE = "leave `starts` out to have the moments drawn"


@dataclass(frozen=True, slots=True)
class Stream:
    """When what belongs to a stream is sent (ns).

    Attributes:
        direction: of its data, `up` or `down`.
        dscp: of what its client sends.
        connects: the client's SYN.
        cookie: the client's.
        words: the server's two.
        begins: the first data.
        turns: up to the last of them, its reader has the processor at these moments only.
    """

    direction: str
    dscp: int
    connects: int
    cookie: int
    words: tuple[int, int]
    begins: int
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Starts:
    """When the processes of a run begin (ns); time 0 is a tick of their clock.

    Attributes:
        pings: what each of two pings sends before it has its rhythm, at least one.
        streams: in the order in which they connect.
    """

    pings: tuple[tuple[int, ...], ...]
    streams: tuple[Stream, ...]


def measured(field: object) -> Starts:
    """Return the moments of a row's `starts`.

    Raises:
        ValueError: it is not what is described above, with where, why and the cure.
    """
    pings = entries(field, "pings_us", "starts", 2)
    streams = entries(field, "streams", "starts", STREAMS)
    if [] in pings:
        raise refused(f"starts.pings_us[{pings.index([])}]", "is empty")
    made = Starts(
        tuple(times(one, f"starts.pings_us[{at}]") for at, one in enumerate(pings)),
        tuple(stream(one, f"starts.streams[{at}]") for at, one in enumerate(streams)),
    )
    if len({(one.direction, one.dscp) for one in made.streams}) != STREAMS:
        raise refused("starts.streams", "has a stream twice")
    return made


def stream(field: object, place: str) -> Stream:
    """Return one stream's moments."""
    words = entries(field, "words_us", place, 2)
    direction, dscp = (member(field, name, place) for name in ("direction", "dscp"))
    if direction not in {"up", "down"}:
        raise refused(f"{place}.direction", "is neither up nor down")
    if not isinstance(dscp, int) or dscp not in MARKS:
        raise refused(f"{place}.dscp", f"is none of {', '.join(map(str, MARKS))}")
    names = ("connects_us", "cookie_us", "begins_us")
    connects, cookie, begins = (
        time(member(field, name, place), f"{place}.{name}") for name in names
    )
    first, second = times(words, f"{place}.words_us")
    if not connects < cookie <= first <= second <= begins:
        raise refused(place, "is not in order: connects, cookie, words, begins")
    turns = times(member(field, "turns_us", place), f"{place}.turns_us")
    return Stream(str(direction), dscp, connects, cookie, (first, second), begins, turns)


def times(values: object, place: str) -> tuple[int, ...]:
    """Return times of a list that ascend (ns)."""
    if not isinstance(values, list):
        raise refused(place, "is not a list of times")
    made = tuple(time(one, f"{place}[{at}]") for at, one in enumerate(values))
    if list(made) != sorted(made):
        raise refused(place, "is not in order")
    return made


def time(value: object, place: str) -> int:
    """Return a time (ns)."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 10**9:
        raise refused(place, "is not a whole number of microseconds, 0 or more")
    return value * US


def entries(field: object, name: str, place: str, count: int) -> list[object]:
    """Return a list of so many entries."""
    found = member(field, name, place)
    if not isinstance(found, list) or len(found) != count:
        raise refused(f"{place}.{name}", f"is not a list of {count}")
    return found


def member(field: object, name: str, place: str) -> object:
    """Return a member of an object."""
    if not isinstance(field, dict):
        raise refused(place, "is not an object")
    if name not in field:
        raise refused(f"{place}.{name}", "is missing")
    return field[name]


def refused(place: str, reason: str) -> ValueError:
    """Return why a field is not taken."""
    return ValueError(f"{place} {reason}; {CURE}")
