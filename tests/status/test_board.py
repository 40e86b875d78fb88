"""The live view, driven without a terminal: what is on the screen after keys and looks."""

import asyncio
import gc
import os
import pty
import subprocess
import sys
import tracemalloc
from dataclasses import replace

import pytest

from tcc.netlink.handle import ROOT
from tcc.netlink.samples import Cake, Sample, Tin
from tcc.status.board import KEPT, Board, History, rows_of, sparkline
from tcc.status.document import Moment, Ours, shapers
from tcc.status.model import Change, Drift, Status
from tcc.status.reader import Device, Look

pytestmark = pytest.mark.slow  # `make test` runs them

CALM = Drift("none", "", "2026-01-01T00:00:00+00:00", (), ())
MOVED = replace(CALM, state="drifted", changes=(Change("eth1", "root", "", "cake 1:", "pfifo 9:"),))


def status_of(count, second, drift=CALM):
    """`count` devices with a CAKE of three tins at 8 Mbit/s, of which each fills an eighth."""

    def moment(at):
        tins = tuple(
            Tin(*[125_000 * at if place == 1 else 0 for place in range(20)]) for _ in "abc"
        )
        own = Cake(0, 0, 0, 0, 0, 0, 0, 0, 0, tins)
        made = [
            Sample("cake", number, 1 << 16, ROOT, 375_000 * at, 0, 0, 0, 0, 0, 0, 10**6, 0, own)
            for number in range(1, count + 1)
        ]
        devices = {one.ifindex: Device(f"eth{one.ifindex}", "") for one in made}
        return Moment(Look(at * 10**9, at * 10**9, made, devices), {})

    before = moment(second - 1) if second > 1 else None
    made = shapers(moment(second), before, Ours(), lambda _: True)
    return Status(1, second * 10**9, 10**9 if before else None, made, drift)


def screen(app):
    lines = app._lines
    return [
        "".join(segment.text for segment in lines.render_line(y)).rstrip()
        for y in range(lines.size.height)
    ]


def driven(looks, *keys, size=(130, 12)):
    """Run the board over `looks`, pressing keys; return the screens and the exit value."""
    screens = []

    async def run():
        left = iter(looks)
        app = Board(lambda: next(left), 3600)
        async with app.run_test(size=size) as pilot:
            screens.append((str(app._head.render()), screen(app)))
            for key in keys:
                if key == "look":
                    app.tick()
                else:
                    await pilot.press(key)
                await pilot.pause()
                screens.append((str(app._head.render()), screen(app)))
        return app.return_value

    return asyncio.run(run()), screens


def test_rates_are_shown_with_bars_in_proportion():
    _, screens = driven([status_of(2, 1), status_of(2, 2), status_of(2, 3)], "look", "look")
    head, lines = screens[-1]
    assert head == "2 shapers, as applied at 2026-01-01T00:00:00+00:00"
    assert lines[0].startswith("egress: eth1  cake 1: 8mbit  now 3mbit")
    assert lines[2].split()[:2] == ["bulk", "1mbit"]
    assert lines[2].split()[2] == "▁▁"  # an eighth of the rate, twice


def test_only_what_is_seen_is_shown_and_scrolling_shows_the_rest():
    _, screens = driven([status_of(100, 1)], "end", "home", size=(130, 12))
    assert len(screens[0][1]) == 10
    assert "eth1 " in screens[0][1][0]
    assert "eth100" in "\n".join(screens[1][1])
    assert screens[2][1] == screens[0][1]


def test_drift_is_said_at_the_top_and_is_the_exit_code():
    code, screens = driven([status_of(1, 1, MOVED)], "q")
    assert "NOT as applied: eth1: cake 1: is now pfifo 9:" in screens[0][0]
    assert code == 1


def test_names_act_neither_on_the_terminal_nor_as_markup():
    hostile = "[red]e\x1b[2J\u202e"
    change = Change(hostile, "root", "[/]", "cake\x07 1:", "pfifo 9:")
    status = status_of(1, 1, replace(CALM, state="drifted", changes=(change,)))
    [shaper] = status.shapers
    named = replace(shaper, device=hostile, on=hostile, link="[bold]\x9b1m")
    _, screens = driven([replace(status, shapers=[named])])
    head, lines = screens[0]
    assert r"NOT as applied: [red]e\x1b[2J\u202e: [/] cake\x07 1: is now" in head
    assert lines[0].startswith(r"[bold]\x9b1m egress: [red]e\x1b[2J\u202e  cake 1:")


def test_what_the_kernel_says_of_trouble_is_shown_as_text():
    def looks():
        yield status_of(1, 1)
        raise OSError("[red]\x1b]0;gone")

    _, screens = driven(looks(), "look")
    assert screens[1][0] == r"the kernel would not tell: [red]\x1b]0;gone"


def test_leaving_without_drift_is_0():
    assert driven([status_of(1, 1)], "q")[0] == 0


def test_trouble_is_said_and_looking_goes_on():
    def looks():
        yield status_of(1, 1)
        raise OSError("gone")

    _, screens = driven(looks(), "look")
    assert screens[1][0] == "the kernel would not tell: gone"
    assert screens[1][1] == screens[0][1]


def test_paused_it_does_not_look():
    _, screens = driven([status_of(1, 1), status_of(1, 2)], "p", "look", "p")
    assert [head.split(",")[0] for head, _ in screens] == [
        "1 shaper",
        "paused",
        "paused",
        "1 shaper",
    ]


@pytest.mark.parametrize(
    ("rates", "most", "bars"),
    [([], 0, ""), ([0, 0], 0, "  "), ([8, 4, 1, 0], 8, "█▄▁ "), ([1], 10**9, "▁")],
)
def test_bars(rates, most, bars):
    assert sparkline(rates, most) == bars


def test_without_textual_it_says_what_to_install():
    """In a process of its own, with a terminal to draw on and the module not to be found."""
    code = (
        "import sys; sys.modules['textual'] = sys.modules['textual.app'] = None\n"
        "from tcc.cli.main import run; sys.exit(run(['status', '--follow'], 'tcc'))"
    )
    end, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=terminal, stderr=subprocess.PIPE, text=True, timeout=60, check=False,
    )  # fmt: skip
    os.close(terminal)
    os.close(end)
    assert done.returncode == 2
    assert "takes textual, which is not installed: pip install 'tcpolicy[ui]'" in done.stderr


def test_history_is_bounded_and_forgets_what_is_gone():
    history = History()
    for second in range(1, 3 * KEPT):
        history.add(status_of(50, second))
    assert len(history) == 50 * 4
    gc.collect()
    tracemalloc.start()
    for second in range(3 * KEPT, 6 * KEPT):
        history.add(status_of(50, second))
    gc.collect()
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    history.add(status_of(1, 6 * KEPT))
    assert len(history) == 4
    assert grown < 50 * 4 * KEPT * 200  # the rates themselves, replaced and not added to
    assert len(rows_of(status_of(1, 1))) == 5
