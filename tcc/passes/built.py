"""What comes out of the passes."""

from dataclasses import dataclass

from tcc.diagnostics import Diagnostic
from tcc.ir import Path, Policy, Spans
from tcc.passes.context import Definition, Kind
from tcc.source import Source
from tcc.syntax.tree import Tree


@dataclass(frozen=True)
class Built:
    """What became of a policy: the policy itself if it has no error, and what is known of it.

    Attributes:
        policy: None when there are errors.
        spans: where each part of the policy was written, by its path. Parts that are where the
            node around them is (its name) have none of their own: look up with `span_at`.
        unknown: the paths of parts that depend on parameters without a value. Such a part is
            None in the policy (a device is called "unset").
        unset: those parameters.
        sources: every file that was read, by path.
        trees: the same files as trees; the policy itself first. Empty for JSON.
        names: every name that the policy defines, with its uses, in the order of the text.
        found: all findings, in the order of the text.
    """

    policy: Policy | None
    spans: Spans
    unknown: frozenset[Path]
    unset: tuple[Definition, ...]
    sources: dict[str, Source]
    trees: tuple[Tree, ...]
    names: tuple[Definition, ...]
    found: tuple[Diagnostic, ...]

    def named(self, kind: Kind) -> list[Definition]:
        """Return the definitions of one kind."""
        return [definition for definition in self.names if definition.kind is kind]
