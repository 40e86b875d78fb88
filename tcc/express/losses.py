"""A loss: what a system does not do of what a clause asks for."""

from dataclasses import dataclass

from tcc.diagnostics import Diagnostic, error, note
from tcc.ir import Shaping
from tcc.plugin import Verdict, Wish
from tcc.source import Span

_FIELD_OF = {
    "mark": "mark_mask",
    "ack-filter": "ack_filter",
    "connection-mark": "connection_mark",
}
_OF_LINK = ("framing", "role", "device", "connection_mark")


@dataclass(frozen=True, slots=True)
class Loss:
    """One clause of a wish that a system approximates or refuses."""

    wish: Wish
    clause: str
    """How a policy writes it, as far as it names it: `fairness`, `tier voice`."""
    message: str
    """What the system does in its place, or cannot do."""
    hints: tuple[str, ...] = ()
    verdict: Verdict = Verdict.REFUSED
    span: Span | None = None
    """Better words than those of the clause, where there are some."""
    code: str = ""
    """Of the finding; `system-cannot` or `system-approximates` if not given."""
    within: str = ""
    """The clause that `prefer` may stand before, where this one is part of it."""

    @property
    def field(self) -> str:
        """The field of `Shaping` that decides whether the policy can do without."""
        word = (self.within or self.clause).partition(" ")[0]
        return _FIELD_OF.get(word, word)


def finding(loss: Loss) -> Diagnostic:
    """Return what to tell of a loss: a note where it is small, else as `Wish.cannot` does.

    Found: `system-cannot`, `system-approximates`, or the loss's own code.
    """
    span = loss.span or _place(loss)
    if loss.verdict is Verdict.APPROXIMATED:
        code = loss.code or "system-approximates"
        return note(code, span, loss.message, *loss.hints)
    code = loss.code or "system-cannot"
    if loss.field not in Shaping.__dataclass_fields__:
        return error(code, span, loss.message, *loss.hints)
    return loss.wish.cannot(loss.field, code, loss.message, *loss.hints, span=span)


def _place(loss: Loss) -> Span | None:
    if loss.field in _OF_LINK:
        return loss.wish.at_link(loss.field)
    return loss.wish.at() if loss.field == "ingress" else loss.wish.at(loss.field)
