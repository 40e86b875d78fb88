"""From trees to the policy: the passes, in the order in which they run.

1. `include`     parse the file and those it includes
2. `names`       sort clauses by word; enter every name that is defined
3. `params`      give parameters their values
4. `links`       read links and profiles as layers, then `merge` them
5. `tiers`, `workloads`, `testbeds`
6. `objectives`  which speak of all the others

`shaping`, `options`, `blocks`, `reader` and `values` are what these passes read clauses
with. No pass raises for bad input: what is wrong goes to `Context.found`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from tcc.diagnostics import Diagnostic, has_errors
from tcc.ir import Link, Objective, Path, Policy, Tier
from tcc.passes.blocks import once_said
from tcc.passes.built import Built
from tcc.passes.context import Context, Definition, Kind
from tcc.passes.include import gather
from tcc.passes.links import Layer, need_block, read_layer
from tcc.passes.merge import EMPTY, enter, merge_link
from tcc.passes.names import Names, sort_clauses
from tcc.passes.objectives import find, read_objective
from tcc.passes.params import Given, check_default, check_given, read_param
from tcc.passes.reader import Reader
from tcc.passes.requirements import Subjects
from tcc.passes.setting import Setting
from tcc.passes.testbeds import read_testbed
from tcc.passes.tiers import read_tier
from tcc.passes.values import Values
from tcc.passes.workloads import read_workload
from tcc.source import Source, Span
from tcc.syntax.tree import Clause

NOTHING = Given()


def build(
    source: Source,
    given: Given = NOTHING,
    directory: str | None = None,
    kept: dict[Clause, Any] | None = None,
    unsaved: Mapping[str, str] | None = None,
) -> Built:
    """Take one policy file, and what it includes, to a policy.

    Args:
        source: the text; one whose path ends in `.json` is a policy in JSON.
        given: values of parameters.
        directory: what its includes are relative to, when its path does not say.
        kept: one dictionary for all builds of one text with different values, empty at first.
        unsaved: texts to read in the place of included files, by real path.
    """
    if source.path.endswith(".json"):
        from tcc.passes.fromjson import build_json  # noqa: PLC0415  (few policies are JSON)

        return build_json(source)
    context = Context(kept=kept)
    clauses = sort_clauses(context, gather(context, source, directory, unsaved))
    unset: list[Definition] = []
    policy = _Building(context, clauses, given, unset).run()
    context.sources |= given.sources
    return Built(
        None if has_errors(context.found) else policy,
        context.spans,
        frozenset(context.unknown),
        tuple(unset),
        context.sources,
        tuple(context.trees),
        tuple(context.definitions),
        tuple(_in_order(context)),
    )


def _in_order(context: Context) -> list[Diagnostic]:
    """Sort findings by place; files in the order in which they were read."""
    order = {path: number for number, path in enumerate(context.sources)}

    def key(item: Diagnostic) -> tuple[int, int]:
        span = item.span
        return (-1, 0) if span is None else (order.get(span.path, -1), span.start)

    return sorted(dict.fromkeys(context.found), key=key)


class _Building:
    """The passes after parsing, over one set of clauses."""

    def __init__(
        self,
        context: Context,
        clauses: dict[str, list[Clause]],
        given: Given,
        unset: list[Definition],
    ) -> None:
        self.context = context
        self.clauses = clauses
        self.given = given
        self.unset = unset
        self.reader = Reader(context, Values(context))
        self.names = Names(self.reader)

    def run(self) -> Policy:
        """Run them all."""
        self.define()
        links = self.links()
        tiers = self.tiers()
        workloads = tuple(
            read_workload(self.reader, definition) for definition in self.defined(Kind.WORKLOAD)
        )
        testbeds = tuple(
            read_testbed(self.reader, definition) for definition in self.defined(Kind.TESTBED)
        )
        policy = Policy(links=links, tiers=tiers, workloads=workloads, testbeds=testbeds)
        subjects = Subjects(policy)
        objectives: list[Objective] = []
        for clause in self.each("objective"):
            path = ("objectives", len(objectives))
            objective = read_objective(self.reader, clause, path, subjects)
            if objective is not None:
                objectives.append(objective)
        return replace(policy, objectives=tuple(objectives))

    def each(self, word: str) -> Iterator[Clause]:
        return once_said(self.context, self.clauses[word])

    def defined(self, kind: Kind) -> list[Definition]:
        return list(self.context.tables[kind].values())

    def define(self) -> None:
        """Enter all names, then the values of parameters, then those of `let`."""
        names, context = self.names, self.context
        for clause in self.each("let"):
            names.let(clause)
        defaults = [
            read_param(names, clause, self.given, self.unset) for clause in self.each("param")
        ]
        check_given(names, self.given)
        for name in names.values.lets:
            names.values.settle(name)
        for default in defaults:
            check_default(names, default)
        for kind in (Kind.PROFILE, Kind.LINK, Kind.WORKLOAD, Kind.TESTBED):
            for clause in self.each(kind):
                path: Path = (f"{kind}s", len(context.tables[kind]))
                names.block_name(kind, clause, () if kind is Kind.PROFILE else path)

    def links(self) -> tuple[Link, ...]:
        profiles: dict[str, Layer] = {}
        for definition in self.defined(Kind.PROFILE):
            profiles[definition.name] = self.layer(definition, "a profile")
        links: list[Link] = []
        for definition in self.defined(Kind.LINK):
            layer = self.layer(definition, "a link")
            word = self.names.profiles.get(id(definition.clause))
            profile = EMPTY
            if word is not None and find(self.reader, word, Kind.PROFILE):
                profile = profiles[word.text]
                self.context.profile_of[definition.name] = word.text
            links.append(merge_link(self.context, definition, layer, profile))
        return tuple(links)

    def layer(self, definition: Definition, where: str) -> Layer:
        assert definition.clause is not None
        block = need_block(self.reader, definition.clause)
        if block is None:
            return Layer(own={"device": Setting(None, definition.span)})
        return read_layer(self.reader, block, where, f"{definition.kind} {definition.name}")

    def tiers(self) -> tuple[Tier, ...]:
        taken: dict[str, Span] = {}
        tiers: list[Tier] = []
        for clause in self.each("tier"):
            path = ("tiers", len(tiers))
            tier = read_tier(self.reader, clause, taken, path)
            if tier is not None and isinstance(tier.value, Tier):
                enter(self.context, path, tier)
                tiers.append(tier.value)
        return tuple(tiers)


__all__ = ["Built", "Context", "Definition", "Given", "Kind", "build"]
