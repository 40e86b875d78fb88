"""What a queue without CAKE's abilities says of the clauses that need them."""

from collections.abc import Collection, Iterator

from tcc.diagnostics import Diagnostic, error
from tcc.lower.draft import Draft, written
from tcc.lower.gso import cannot_split_above, gso_clause
from tcc.plugin import Wish
from tcc.units import format_duration, format_size

CODE = "qdisc-cannot-express"
HINT = "CAKE can: write `qdisc cake`, or `inner cake` below a tbf"


def refusals(wish: Wish, kind: str, expresses: Collection[str] = ()) -> Iterator[Diagnostic]:
    """Yield `qdisc-cannot-express` for each clause that asks for more than `kind` has.

    `expresses` names the clauses (fields of the shaping) that it can do. Tiers come in two
    clauses: the mode, and the `tier` blocks that put packets into its tins.
    """
    for clause, words, reason in _asked(wish):
        if clause in expresses:
            continue
        if clause == "gso" and wish.shaping.gso and wish.shaping.gso.mode == "split-above":
            yield cannot_split_above(wish)
        else:
            yield wish.cannot(clause, CODE, f"{kind} cannot express `{words}`", reason, HINT)
    if wish.tiers and "tiers" not in expresses and wish.shaping.tiers is None:
        yield error(
            CODE,
            wish.at(),
            f"{kind} has no tins for the {len(wish.tiers)} tiers of this link",
            "all packets wait in one queue, or in one per flow",
            HINT + "; with `tiers besteffort` the tiers are nothing but DSCP marks",
        )


def explain_idle(draft: Draft, kind: str) -> None:
    """Record the clauses that ask for nothing which a plain queue of `kind` would do."""
    shaping = draft.wish.shaping
    for clause, words in (
        ("tiers", "besteffort"),
        ("fairness", "none"),
        ("fairness", "flowblind"),
        ("ack_filter", "off"),
        ("dscp", "keep"),
    ):
        if getattr(shaping, clause) == words:
            spelled = f"{written(clause)} {words}"
            draft.explain(spelled, "nothing to do", f"{kind} is so anyway", draft.wish.at(clause))
    if shaping.gso is not None and shaping.gso.mode == "keep":
        because = f"{kind} cuts nothing up; a tbf does so with what is longer than its burst"
        draft.explain("gso keep", "nothing to do", because, draft.wish.at("gso"))


def _asked(wish: Wish) -> Iterator[tuple[str, str, str]]:
    """Yield clause, words and reason for each clause that a plain queue does not fulfil."""
    shaping = wish.shaping
    if shaping.tiers not in (None, "besteffort"):
        yield "tiers", f"tiers {shaping.tiers}", "it has no tins"
    if shaping.fairness not in (None, "none", "flowblind"):
        yield "fairness", f"fairness {shaping.fairness}", "it does not tell these apart"
    if shaping.rtt is not None:
        yield "rtt", f"rtt {format_duration(shaping.rtt)}", "it has no AQM to set"
    if shaping.ack_filter not in (None, "off"):
        yield "ack_filter", f"ack-filter {shaping.ack_filter}", "it looks at no TCP header"
    if shaping.dscp == "wash":
        yield "dscp", "dscp wash", "it changes no packet"
    if shaping.memory is not None:
        yield "memory", f"memory {format_size(shaping.memory)}", "it counts packets or bytes"
    if shaping.mark_mask:
        yield "mark_mask", f"mark mask {shaping.mark_mask:#x}", "it reads no marks"
    if shaping.gso is not None and shaping.gso.mode != "keep":
        yield "gso", f"gso {gso_clause(shaping.gso)}", "it does not cut packets up"
