"""Draw the plots of the experiments' pages: `python docs/experiments/plots.py` writes *.svg."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tcc.engine.host import profiles
from tcc.experiments import mq_rate_adjust, split_gso_bql, tasks, udp_backpressure, udp_flood

if TYPE_CHECKING:
    from collections.abc import Sequence

HERE = Path(__file__).parent
WIDTH, HEIGHT = 720, 320
LEFT, RIGHT, TOP, BOTTOM = 70, 150, 30, 45
COLOURS = ("#1b6ca8", "#c8553d", "#588157", "#7d5ba6", "#8a6d3b", "#444444")
Series = tuple[str, list[tuple[float, float]]]


def text(x: float, y: float, words: str, anchor: str = "start", extra: str = "") -> str:
    """Return words at a place."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" '
        f'font-family="sans-serif" fill="#333" {extra}>{words}</text>'
    )


def frame(title: str, across: str, up: str, most: float) -> list[str]:
    """Return the axes: 0 to `most` upwards, in four steps."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        f"<title>{title}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        text(LEFT, 18, title, extra='font-weight="bold"'),
        text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, across, "middle"),
        text(14, HEIGHT / 2, up, "middle", f'transform="rotate(-90 14 {HEIGHT / 2})"'),
    ]
    for step in range(5):
        y = level(most * step / 4, most)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        )
        parts.append(text(LEFT - 6, y + 4, f"{most * step / 4:g}", "end"))
    return parts


def level(value: float, most: float) -> float:
    """Return the height of a value."""
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / most


def lines(title: str, axes: tuple[str, str], most: float, series: Sequence[Series]) -> str:
    """Return a plot of lines, the horizontal axis from 0."""
    parts = frame(title, *axes, most)
    furthest = max(x for _, points in series for x, _ in points)
    span = WIDTH - LEFT - RIGHT
    for tick in range(5):
        x = LEFT + span * tick / 4
        parts.append(text(x, HEIGHT - BOTTOM + 16, f"{furthest * tick / 4:g}", "middle"))
    for number, (name, points) in enumerate(series):
        colour = COLOURS[number % len(COLOURS)]
        places = " ".join(
            f"{LEFT + span * x / furthest:.1f},{level(min(y, most), most):.1f}" for x, y in points
        )
        parts.append(
            f'<polyline points="{places}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        y = TOP + 14 + 18 * number
        parts.append(f'<rect x="{WIDTH - RIGHT + 10}" y="{y - 9}" width="12" height="8" '
                     f'fill="{colour}"/>')  # fmt: skip
        parts.append(text(WIDTH - RIGHT + 28, y, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def bars(
    title: str, up: str, most: float, groups: Sequence[tuple[str, Sequence[tuple[str, float]]]]
) -> str:
    """Return a plot of bars in groups."""
    parts = frame(title, "", up, most)
    names = list(dict.fromkeys(name for _, each in groups for name, _ in each))
    width = (WIDTH - LEFT - RIGHT) / len(groups)
    for place, (label, each) in enumerate(groups):
        thick = width * 0.8 / len(each)
        start = LEFT + place * width + width * 0.1
        for number, (name, value) in enumerate(each):
            colour = COLOURS[names.index(name) % len(COLOURS)]
            y = level(min(value, most), most)
            parts.append(
                f'<rect x="{start + number * thick:.1f}" y="{y:.1f}" width="{thick * 0.9:.1f}" '
                f'height="{HEIGHT - BOTTOM - y:.1f}" fill="{colour}"/>'
            )
        parts.append(text(start + width * 0.4, HEIGHT - BOTTOM + 16, label, "middle"))
    for number, name in enumerate(names):
        y = TOP + 14 + 18 * number
        parts.append(f'<rect x="{WIDTH - RIGHT + 10}" y="{y - 9}" width="12" height="8" '
                     f'fill="{COLOURS[number % len(COLOURS)]}"/>')  # fmt: skip
        parts.append(text(WIDTH - RIGHT + 28, y, name))
    return "\n".join([*parts, "</svg>"]) + "\n"


def flood() -> None:
    """Draw the rate over time, and over senders."""
    host = profiles.host(udp_flood.HOST)
    case = udp_flood.Case
    fitted = {
        "llist": case("llist", 746_000, 20),
        "llist+dd": case("llist+dd", 760_000, 20),
        "llist+dd+limit": case("llist+dd+limit", 750_000, 20),
        "llist, CAKE whole": case("llist", 746_000, 20, whole=True),
    }
    runs = tasks.run(udp_flood.simulate, [(host, one, 1) for one in fitted.values()])
    series = [
        (name, [(step / 2 + 0.5, 2 * sent / 1e6) for step, sent in enumerate(run.sent)])
        for name, run in zip(fitted, runs, strict=True)
    ]
    series.append(("baseline-busylock", [(0.5, 0.468), (20, 0.468)]))
    axes = ("seconds", "Mpps sent")
    (HERE / "udp-flood-time.svg").write_text(
        lines("CAKE under a flood, by kernel", axes, 0.8, series)
    )
    rates = [50 * step for step in range(1, 20)]
    names = ("baseline-busylock", "llist", "llist+dd")
    made = tasks.run(
        udp_flood.simulate,
        [(host, case(name, rate * 1000, seconds(name, rate)), 1) for name in names
         for rate in rates],
    )  # fmt: skip
    settled = [
        (
            name,
            [
                (rate / 1000, float(run.rate(seconds(name, rate) * 3 // 4)))
                for rate, run in zip(rates, part, strict=True)
            ],
        )
        for name, part in zip(
            names, [made[at : at + len(rates)] for at in range(0, len(made), len(rates))],
            strict=True,
        )
    ]  # fmt: skip
    axes = ("Mpps that reach the lock", "Mpps sent")
    (HERE / "udp-flood-collapse.svg").write_text(
        lines("More senders, then fewer packets", axes, 0.8, settled)
    )


def seconds(name: str, rate: int) -> int:
    """Return how long a flood (kpps) takes to settle: long where it declines."""
    return 16 if name != "baseline-busylock" and rate > 650 else 2


def pressure() -> None:
    """Draw each sender's share."""
    host = profiles.host(udp_backpressure.HOST)
    runs = tasks.run(
        udp_backpressure.simulate,
        [(host, inner, interval, 1) for inner in ("sfq", "bfifo") for interval in (0, 100)],
    )
    names = ("sfq", "sfq, held back", "bfifo", "bfifo, held back")
    series = [
        (
            name,
            [
                (place, float(rate))
                for place, rate in enumerate(
                    sorted(run.rate(flow) for flow in range(len(run.payload))), 1
                )
            ],
        )
        for name, run in zip(names, runs, strict=True)
    ]
    axes = ("sender, slowest first", "Mbit/s")
    (HERE / "udp-backpressure.svg").write_text(
        lines("What sixteen senders get of 486 Mbit/s", axes, 180, series)
    )


def splitting() -> None:
    """Draw limits and pings."""
    host = profiles.host(split_gso_bql.HOST)
    setup = split_gso_bql.Setup
    setups = {
        "split": setup(),
        "above 32 KiB": setup(above=32 * 1024),
        "above 60 KiB": setup(above=60 * 1024),
        "whole": setup(split=False),
        "pfifo_fast": setup("pfifo_fast"),
    }
    runs = tasks.run(split_gso_bql.simulate, [(host, one, 1) for one in setups.values()])
    groups = [
        (name, [("limit, 100 kB", run.limits[0] / 100_000), ("ping, ms", run.mean / 1e6)])
        for name, run in zip(setups, runs, strict=True)
    ]
    (HERE / "split-gso-bql.svg").write_text(
        bars("Byte queue limit and ping, four uploads at 1 Gbit/s", "", 4, groups)
    )


def shared() -> None:
    """Draw what each kernel's cake_mq delivers."""
    host = profiles.host(mq_rate_adjust.VM)
    kernels = {"before": "before_15c2715a5264", "purging": "net-next", "fixed": "this_patch"}
    wanted = [
        (host, mq_rate_adjust.KERNELS[label], "mq", mode, "nup", 1)
        for mode in ("be", "ds3", "ds4", "ds8")
        for label in kernels.values()
    ]
    runs = iter(tasks.run(mq_rate_adjust.vm, wanted))
    groups = [
        (mode, [(name, float(next(runs).goodput)) for name in kernels])
        for mode in ("besteffort", "diffserv3", "diffserv4", "diffserv8")
    ]
    (HERE / "mq-rate-adjust.svg").write_text(
        bars("cake_mq at 2 Gbit/s on eight queues", "Mbit/s of goodput", 2000, groups)
    )


if __name__ == "__main__":
    for draw in (pressure, splitting, shared, flood):
        draw()
