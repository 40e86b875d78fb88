"""What a service says: one line for each thing, with its weight where a journal reads it.

Source: sd-daemon(3), "<N>" in front of a line.
"""

import os
import sys
from dataclasses import dataclass, field
from typing import Final, TextIO

from tcc.diagnostics import Diagnostic, Severity
from tcc.visible import visible

MOST_MATTERS: Final = 200
_WEIGHT: Final = {Severity.ERROR: 3, Severity.WARNING: 4, Severity.NOTE: 6}


@dataclass
class Log:
    """Says things, and the same thing about the same matter only once."""

    file: TextIO = field(default_factory=lambda: sys.stderr)
    weighed: bool = field(default_factory=lambda: "JOURNAL_STREAM" in os.environ)
    _said: dict[str, str] = field(default_factory=dict)

    def info(self, text: str) -> None:
        """Say what happened."""
        self._say(Severity.NOTE, text)

    def warning(self, text: str) -> None:
        """Say what somebody should look into."""
        self._say(Severity.WARNING, text)

    def once(self, matter: str, text: str, weight: Severity = Severity.NOTE) -> None:
        """Say something about a matter, unless that is what was said about it last."""
        if self._said.get(matter) != text:
            if len(self._said) >= MOST_MATTERS:
                self._said.clear()
            self._said[matter] = text
            self._say(weight, text)

    def over(self, matter: str) -> None:
        """A matter is closed: what comes up again is said again."""
        self._said.pop(matter, None)

    def finding(self, found: Diagnostic) -> None:
        """Say a finding, once while it lasts; notes are for those who apply by hand."""
        if found.severity is Severity.NOTE:
            return
        hints = "".join(f"; {hint}" for hint in found.hints[:2])
        text = f"{found.severity.value} [{found.code}] {found.message}{hints}"
        self.once(f"{found.code} {found.message}", text, found.severity)

    def _say(self, weight: Severity, text: str) -> None:
        mark = f"<{_WEIGHT[weight]}>" if self.weighed else ""
        print(f"{mark}{visible(text)}", file=self.file, flush=True)
