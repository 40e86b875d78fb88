"""The table of clauses: what each became on one system, or why nothing came of it."""

from collections.abc import Iterator, Sequence

from tcc.diagnostics import Diagnostic, Severity
from tcc.express.losses import Loss
from tcc.lower import LoweredQdisc
from tcc.plugin import Explanation, Expressed, Verdict
from tcc.source import Span


def table(
    lowered: Sequence[LoweredQdisc], losses: Sequence[Loss], found: Sequence[Diagnostic] = ()
) -> list[Expressed]:
    """Return a row for each clause, and one for each finding that belongs to no clause.

    Args:
        lowered: the qdiscs of a policy, with what was explained of their clauses.
        losses: what the system does otherwise.
        found: what lowering and the back end found; its errors are refusals.
    """
    rows: list[Expressed] = []
    left = list(losses)
    for one in lowered:
        wish = one.wish
        rows += _of_wish(one, [loss for loss in left if loss.wish is wish])
        left = [loss for loss in left if loss.wish is not wish]
    seen = {(row.span, row.because) for row in rows}
    told = {loss.message for loss in losses}
    for item in found:
        if item.severity is Severity.ERROR and item.message not in told:
            rows = _with_refusal(rows, item, seen)
    return rows


def _of_wish(one: LoweredQdisc, losses: list[Loss]) -> Iterator[Expressed]:
    where = f"{one.wish.link.name} {one.wish.direction}"
    left = list(losses)
    for said in _distinct(one.explained):
        hit = [loss for loss in losses if _is_of(loss.clause, said.clause)]
        left = [loss for loss in left if loss not in hit]
        if not hit:
            yield Expressed(where, said.clause, Verdict.EXACT, said.became, said.because, said.span)
            continue
        yield Expressed(
            where, said.clause, _worst(hit), said.became if _is_kept(hit) else "",
            "; ".join(_sentence(loss) for loss in hit), said.span,
        )  # fmt: skip
    for loss in left:
        yield Expressed(where, loss.clause, loss.verdict, "", _sentence(loss), loss.span)


def _distinct(explained: Sequence[Explanation]) -> list[Explanation]:
    return list({(said.clause, said.became): said for said in explained}.values())


def _is_of(clause: str, written: str) -> bool:
    return written == clause or written.startswith(f"{clause} ")


def _worst(losses: Sequence[Loss]) -> Verdict:
    refused = any(loss.verdict is Verdict.REFUSED for loss in losses)
    return Verdict.REFUSED if refused else Verdict.APPROXIMATED


def _is_kept(losses: Sequence[Loss]) -> bool:
    return _worst(losses) is Verdict.APPROXIMATED


def _sentence(loss: Loss) -> str:
    reason = f" ({loss.hints[0]})" if loss.hints else ""
    return loss.message + reason


def _with_refusal(
    rows: list[Expressed], item: Diagnostic, seen: set[tuple[Span | None, str]]
) -> list[Expressed]:
    """Return `rows` with an error at the clause that it points at, or in a row of its own."""
    reason = item.message + (f" ({item.hints[0]})" if item.hints else "")
    if (item.span, reason) in seen:
        return rows
    made = []
    hit = False
    for row in rows:
        same = item.span is not None and row.span == item.span
        hit = hit or same
        refused = Expressed(row.where, row.clause, Verdict.REFUSED, "", reason, row.span)
        made.append(refused if same else row)
    if not hit:
        made.append(Expressed("", item.code, Verdict.REFUSED, "", reason, item.span))
    return made
