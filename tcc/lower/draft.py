"""What a qdisc plugin gathers while it turns one wish into settings.

A setting can be asked for twice: by a clause of the link (`tiers diffserv4`) and by a
word of the kind's own block (`qdisc cake { diffserv4 }`). Both may stand if they agree.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from tcc.diagnostics import Diagnostic, Severity, error, has_errors
from tcc.plugin import Explanation, Lowering, Wish
from tcc.source import Span
from tcc.units import format_rate

T = TypeVar("T")

BITS = 8


@dataclass(slots=True)
class Draft:
    """A wish, and what has been said of it so far."""

    wish: Wish
    explained: list[Explanation] = field(default_factory=list)
    found: list[Diagnostic] = field(default_factory=list)

    def explain(
        self, clause: str, became: str, because: str = "", span: Span | None = None
    ) -> None:
        """Record what `clause`, as a policy would write it, became."""
        self.explained.append(Explanation(clause, became, because, span))

    def settle(
        self,
        clause: str,
        asked: T | None,
        option: str,
        said: T | None,
        show: Callable[[T], str] = str,
    ) -> T | None:
        """Return what a clause and an option agree on; None when neither says anything.

        Found: `qdisc-option-contradicts`.
        """
        if asked is None or said is None or asked == said:
            return said if asked is None else asked
        place = self.at_clause(clause)
        self.found.append(
            Diagnostic(
                "qdisc-option-contradicts",
                Severity.ERROR,
                f"the qdisc's block says {show(said)}, the link says {show(asked)}",
                self.wish.at_option(option),
                hints=("both set the same thing in the kernel: say it once",),
                related=((f"`{written(clause)}` of the link", place),) if place else (),
            )
        )
        return asked

    def place(self, clause: str, option: str) -> Span | None:
        """Return where a setting was asked for."""
        return place(self.wish, clause, option)

    def at_clause(self, clause: str) -> Span | None:
        """Return where `clause` is: in the link for those that only a link has."""
        if clause in ("framing", "role", "device"):
            return self.wish.at_link(clause)
        return self.wish.at(clause)

    def fits(self, name: str, value: int, allowed: range, unit: str, span: Span | None) -> bool:
        """Whether `value` is in `allowed`; found if not: `value-out-of-range`."""
        if value in allowed:
            return True
        self.found.append(
            error(
                "value-out-of-range",
                span,
                f"{name} of {value}{unit} is outside {allowed.start}{unit}..{allowed[-1]}{unit}",
                "the kernel's field holds no more, and the kernel would cut it without a word",
            )
        )
        return False

    def byte_rate(self, rate: int, span: Span | None) -> int:
        """Return bit/s as the kernel's bytes per second, rounded down.

        Found: `rate-below-byte`; `value-out-of-range` for a rate that 64 bits do not hold.
        """
        if rate < BITS:
            self.found.append(
                error(
                    "rate-below-byte",
                    span,
                    f"a rate of {rate}bit/s is less than one byte per second",
                    "the kernel counts whole bytes per second, and 0 means unlimited to it",
                    "write at least 8bit, or `unlimited`",
                )
            )
            return 1
        self.fits("rate", rate // BITS, range(1, 2**64), "B/s", span)
        return rate // BITS

    def lowering(self, settings: object, found: Iterable[Diagnostic] = ()) -> Lowering:
        """Return the result, with no settings where an error was found."""
        everything = (*self.found, *found)
        return Lowering(
            None if has_errors(everything) else settings, tuple(self.explained), everything
        )


def place(wish: Wish, clause: str, option: str) -> Span | None:
    """Return where a setting was asked for: the clause if it was said, else the option."""
    if getattr(wish.shaping, clause, None) is not None:
        return wish.at(clause)
    return wish.at_option(option)


def written(clause: str) -> str:
    """Return a clause's name as a policy spells it."""
    return clause.replace("_", "-")


def rounded(rate: int) -> str:
    """Say how a rate in bit/s was rounded to bytes per second, or nothing when it was not."""
    left = rate % BITS
    return f"rounded down by {format_rate(left)}/s to whole bytes per second" if left else ""
