"""The status for people: a line for each shaper, a table of its tins below."""

from collections.abc import Iterator, Sequence

from tcc.plan.render import readable
from tcc.status import figures
from tcc.status.model import Change, Drift, Qdisc, Shaper, Status, Tin

TIN_HEAD = (
    "tin", "rate", "peak", "average", "base", "backlog", "drops", "marks", "ACKs", "sparse",
    "bulk", "stubborn",
)  # fmt: skip
REDIRECTS = {
    "missing": "NO REDIRECT leads here: what comes in is not shaped",
    "dead": "THE REDIRECT LEADS NOWHERE: everything that comes in is lost",
    "elsewhere": "the redirect leads to another device: {to}",
    "lossy": "PACKETS ARE REDIRECTED AND NONE ARRIVES",
}


def as_text(status: Status, *, queues: bool = False) -> str:
    """Return the whole status; with `queues` those of a cake_mq one by one, too."""
    blocks = ["\n".join(shaper_lines(one, queues=queues)) for one in status.shapers]
    if not blocks:
        blocks = ["Nothing shapes here."]
    return "\n\n".join([*blocks, "\n".join(drift_lines(status.drift))]) + "\n"


def shaper_lines(shaper: Shaper, *, queues: bool = False) -> Iterator[str]:
    """Yield the lines of one shaper."""
    link = f"{shaper.link} " if shaper.link else ""
    where = shaper.device if shaper.device == shaper.on else f"{shaper.device} on {shaper.on}"
    yield f"{link}{shaper.direction}: {where}, {_head(shaper.root)}"
    if shaper.redirect and shaper.redirect.state != "ok":
        yield f"  {REDIRECTS[shaper.redirect.state].format(to=shaper.redirect.to)}"
    yield f"  {_traffic(shaper.root)}"
    yield from table(shaper.root.tins)
    for part in shaper.parts:
        if queues or shaper.root.kind != "cake_mq":
            yield f"  {part.at}  {_head(part)}  {_traffic(part)}"
            yield from table(part.tins)


def _head(qdisc: Qdisc) -> str:
    rate = f" {figures.rate(qdisc.bandwidth_bit_s)}" if qdisc.bandwidth_bit_s else ""
    return f"{qdisc.kind} {qdisc.handle}{rate}"


def _traffic(qdisc: Qdisc) -> str:
    parts = []
    if qdisc.rate_bit_s is not None:
        share = ""
        if qdisc.bandwidth_bit_s:
            share = f" ({100 * qdisc.rate_bit_s // qdisc.bandwidth_bit_s} %)"
        parts.append(f"now {figures.rate(qdisc.rate_bit_s)}{share}")
    parts.append(f"sent {figures.size(qdisc.sent_bytes)} in {figures.count(qdisc.sent_packets)}")
    parts.append(f"dropped {figures.count(qdisc.dropped_packets)}")
    if qdisc.marked_packets:
        parts.append(f"marked {figures.count(qdisc.marked_packets)}")
    parts.append(f"waiting {figures.size(qdisc.backlog_bytes)}")
    if qdisc.memory:
        limit = qdisc.memory.limit_bytes
        of = f" of {figures.size(limit)}" if limit is not None else ""
        parts.append(f"memory {figures.size(qdisc.memory.used_bytes)}{of}")
    return ", ".join(parts)


def table(tins: Sequence[Tin]) -> Iterator[str]:
    """Yield the table of tins; nothing for a kind without any."""
    if not tins:
        return
    rows = [TIN_HEAD, *map(tin_cells, tins)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *rest = (
            cell.ljust(width) if index == 0 else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(("  " + first, *rest)).rstrip()


def tin_cells(tin: Tin) -> tuple[str, ...]:
    """Return one tin's numbers, in the order of `TIN_HEAD`."""
    return (
        tin.name,
        figures.rate(tin.rate_bit_s),
        figures.delay(tin.peak_delay_us),
        figures.delay(tin.average_delay_us),
        figures.delay(tin.base_delay_us),
        figures.size(tin.backlog_bytes),
        figures.count(tin.dropped_packets),
        figures.count(tin.marked_packets),
        figures.count(tin.acks_dropped),
        str(tin.sparse_flows),
        str(tin.bulk_flows),
        str(tin.unresponsive_flows),
    )


def drift_lines(drift: Drift) -> Iterator[str]:
    """Yield what is to be said of the drift."""
    match drift.state:
        case "none":
            yield f"Everything is as it was applied at {drift.applied}."
        case "nothing-applied":
            yield "Nothing was applied here."
        case "unknown":
            yield f"Whether it is as it was applied cannot be told: {drift.why}"
        case "drifted":
            yield f"NOT as it was applied at {drift.applied}:"
            yield from (f"  {change_text(one)}" for one in drift.changes)
            yield "  `tcc apply` brings it back."
    for setting in drift.settings:
        yield (
            f"  {setting.link}.{setting.direction}.{setting.clause} was set to {setting.value} "
            f"at {setting.when}."
        )


def change_text(one: Change) -> str:
    """Return one change in words."""
    where = one.device if one.at == "root" else f"{one.device} ({one.at})"
    what = f"{one.what} " if one.what else ""
    return f"{where}: {what}{readable(one.wanted)} is now {readable(one.found)}"
