r"""The live view in a terminal: a line for each shaper and tin, with the rates of the last minute.

Only the lines that are seen are made, so that a thousand shapers cost what a screen of them does.
Names come from the kernel, from containers and from policies: no text is taken as markup, and what
would act on the terminal is shown as `\x1b`.
"""

from collections import deque
from collections.abc import Callable, Iterator
from typing import ClassVar, Final, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widgets import Static

from tcc.status import figures
from tcc.status.model import Qdisc, Shaper, Status
from tcc.status.text import REDIRECTS, TIN_HEAD, change_text, tin_cells
from tcc.visible import visible

KEPT: Final = 60
"""Looks that a line of bars remembers."""
SHOWN: Final = 24
BARS: Final = " ▁▂▃▄▅▆▇█"
WIDTHS: Final = (12, 10, 8, 8, 8, 9, 7, 7, 7, 7, 6, 8)
BOLD, DIM, ALARM = Style(bold=True), Style(dim=True), Style(bold=True, color="red")
Key = tuple[str, str, str]


class History:
    """The last rates of everything that was there at the last look."""

    def __init__(self) -> None:
        self._rates: dict[Key, deque[int]] = {}

    def add(self, status: Status) -> None:
        """Remember a look; what is no longer there is forgotten."""
        kept: dict[Key, deque[int]] = {}
        for key, rate in _rates(status):
            rates = kept[key] = self._rates.get(key) or deque(maxlen=KEPT)
            rates.append(rate or 0)
        self._rates = kept

    def bars(self, key: Key, most: int | None) -> str:
        """Return the last rates as bars; a full one is `most`, or the highest of them."""
        rates = list(self._rates.get(key, ()))[-SHOWN:]
        return sparkline(rates, most or max(rates, default=0)).rjust(SHOWN)

    def __len__(self) -> int:
        """Return how many lines of bars there are."""
        return len(self._rates)


def sparkline(rates: list[int], most: int) -> str:
    """Return bars in proportion to `most`; anything above nothing shows.

    >>> sparkline([0, 1, 50, 100, 200], 100)
    ' ▁▄██'
    """
    top = len(BARS) - 1
    return "".join(
        BARS[min(top, max(1, rate * top // most))] if rate and most else BARS[0] for rate in rates
    )


def _rates(status: Status) -> Iterator[tuple[Key, int | None]]:
    for shaper in status.shapers:
        for one in (shaper.root, *shaper.parts):
            yield (shaper.on, one.at, ""), one.rate_bit_s
            for tin in one.tins:
                yield (shaper.on, one.at, tin.name), tin.rate_bit_s


class Row(NamedTuple):
    """One line: a shaper, one of its qdiscs, and perhaps one of that one's tins."""

    shaper: int
    part: int
    tin: int


ROOT: Final = -1
HEADING, TABLE_HEAD = -1, -2


def rows_of(status: Status) -> list[Row]:
    """Return the lines of a status, top to bottom; the queues of a cake_mq are left out."""
    rows: list[Row] = []
    for index, shaper in enumerate(status.shapers):
        parts = () if shaper.root.kind == "cake_mq" else shaper.parts
        for number, one in enumerate((shaper.root, *parts), ROOT):
            rows.append(Row(index, number, HEADING))
            if one.tins:
                rows.append(Row(index, number, TABLE_HEAD))
            rows += [Row(index, number, tin) for tin in range(len(one.tins))]
    return rows


class Lines(ScrollView, can_focus=True):
    """The lines themselves, made when they are looked at."""

    def __init__(self, history: History) -> None:
        super().__init__()
        self._history = history
        self._status: Status | None = None
        self._rows: list[Row] = []

    def show(self, status: Status) -> None:
        """Show another status, at the same place."""
        self._status = status
        self._rows = rows_of(status)
        width = sum(WIDTHS) + len(WIDTHS) + SHOWN + 4
        self.virtual_size = Size(width, max(1, len(self._rows)))
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Return one visible line."""
        across, down = self.scroll_offset
        width = self.size.width
        segments = [Segment(visible(one.text), one.style) for one in self._segments(down + y)]
        return Strip(segments).crop_extend(across, across + width, None)

    def _segments(self, index: int) -> Iterator[Segment]:
        if self._status is None or index >= len(self._rows):
            if index == 0:
                yield Segment("Nothing shapes here.")
            return
        row = self._rows[index]
        shaper = self._status.shapers[row.shaper]
        one = shaper.root if row.part == ROOT else shaper.parts[row.part]
        if row.tin == TABLE_HEAD:
            yield Segment(_cells(("  " + TIN_HEAD[0], *TIN_HEAD[1:]), " " * SHOWN), DIM)
        elif row.tin == HEADING:
            yield from self._heading(shaper, one, row.part == ROOT)
        else:
            tin = one.tins[row.tin]
            first, *rest = tin_cells(tin)
            bars = self._bars((shaper.on, one.at, tin.name), one)
            yield Segment(_cells(("  " + first, *rest), bars))

    def _heading(self, shaper: Shaper, one: Qdisc, is_root: bool) -> Iterator[Segment]:
        if is_root:
            link = f"{shaper.link} " if shaper.link else ""
            on = "" if shaper.on == shaper.device else f" on {shaper.on}"
            yield Segment(f"{link}{shaper.direction}: {shaper.device}{on}  ", BOLD)
        else:
            yield Segment(f"  {one.at}  ")
        rate = f" {figures.rate(one.bandwidth_bit_s)}" if one.bandwidth_bit_s else ""
        now = f"now {figures.rate(one.rate_bit_s)}"
        waiting = f"waiting {figures.size(one.backlog_bytes)}"
        yield Segment(f"{one.kind} {one.handle}{rate}  {now}  {waiting}  ")
        yield Segment(f"dropped {figures.count(one.dropped_packets)}  ")
        if not one.tins:
            yield Segment(self._bars((shaper.on, one.at, ""), one))
        if is_root and shaper.redirect and shaper.redirect.state != "ok":
            words = REDIRECTS[shaper.redirect.state].format(to=shaper.redirect.to)
            yield Segment(f"  {words}", ALARM)

    def _bars(self, key: Key, one: Qdisc) -> str:
        return self._history.bars(key, one.bandwidth_bit_s)


def _cells(cells: tuple[str, ...], bars: str) -> str:
    """Return a line of the table: the bars stand after the rate, where a narrow screen has them."""
    name, rate, *rest = (
        cell.ljust(width) if index == 0 else cell.rjust(width)
        for index, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    )
    return " ".join((name, rate, bars, *rest))


class Board(App[int]):
    """The live view: looks every `interval` seconds. Its value is 1 when there is drift."""

    CSS = "#head, #foot { height: 1; } #foot { color: $text-muted; }"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q,escape", "leave", "quit"),
        Binding("p,space", "pause", "pause"),
    ]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, look: Callable[[], Status], interval: float) -> None:
        super().__init__()
        self._look = look
        self._interval = interval
        self.history = History()
        self._lines = Lines(self.history)
        self._head = Static(id="head", markup=False)
        self._paused = False
        self._code = 0

    def compose(self) -> ComposeResult:
        """Lay out a line of state, the shapers, and the keys."""
        yield self._head
        yield self._lines
        yield Static("q quit   space pause   arrows, PgUp, PgDn scroll", id="foot", markup=False)

    def on_mount(self) -> None:
        """Look at once, and then again and again."""
        self._lines.focus()
        self.tick()
        self.set_interval(self._interval, self.tick)

    def tick(self) -> None:
        """Look, and show it; what goes wrong is shown in its place."""
        if self._paused:
            return
        try:
            status = self._look()
        except (OSError, ValueError) as problem:
            self._head.update(visible(f"the kernel would not tell: {problem}"))
            return
        self.history.add(status)
        self._lines.show(status)
        self._code = int(status.drift.state in {"drifted", "unknown"})
        self._head.update(visible(headline(status)))

    def action_pause(self) -> None:
        """Stop looking, or go on."""
        self._paused = not self._paused
        if self._paused:
            self._head.update("paused")
        else:
            self.tick()

    def action_leave(self) -> None:
        """End."""
        self.exit(self._code)


def headline(status: Status) -> str:
    """Return the line at the top: how much there is, and the drift."""
    count = len(status.shapers)
    what = f"{count} shaper{'s' * (count != 1)}"
    match status.drift.state:
        case "none":
            return f"{what}, as applied at {status.drift.applied}"
        case "drifted":
            more = len(status.drift.changes) - 1
            first = change_text(status.drift.changes[0])
            return f"{what}, NOT as applied: {first}{f', and {more} more' if more else ''}"
        case "unknown":
            return f"{what}; what was applied cannot be told: {status.drift.why}"
    return f"{what}, nothing applied"
