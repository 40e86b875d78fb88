"""The whole compiler in one screen: one function per stage, nothing hidden.

    text --load--> Built --lint--> findings
                     '-- lower --> what one back end should make so

Functions return findings; none raises for a bad policy, and none prints.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tcc.collector import collection_paused
from tcc.diagnostics import Diagnostic, Severity, has_errors, warning
from tcc.passes import Built, Given, build
from tcc.passes.unset import require_values
from tcc.source import Source
from tcc.syntax.parser import parse
from tcc.syntax.read import read_source

if TYPE_CHECKING:
    from tcc.facts import Facts
    from tcc.plan.state import State
    from tcc.plugin import Expressed
    from tcc.syntax.tree import Clause
    from tcc.verify.scenario import Scenario


def load(
    policy: Source | str,
    values: Mapping[str, object] | Given | None = None,
    *,
    directory: str | None = None,
    complete: bool = False,
    kept: "dict[Clause, Any] | None" = None,
    unsaved: Mapping[str, str] | None = None,
) -> Built:
    """Read a policy, and what it includes, as far as it can be read.

    Args:
        policy: a path (`-`: standard input), or the text with its name; a name that ends in
            `.json` means a policy in JSON.
        values: what `--set` and `--vars` give to parameters.
        directory: what includes are relative to, if not the policy's own directory.
        complete: whether parameters without a value are an error (`param-unset`).
        kept: one dictionary for all loads of one text with different values, empty at first.
        unsaved: texts to read in the place of included files, by real path.
    """
    given = values if isinstance(values, Given) else Given(values or {})
    source = policy if isinstance(policy, Source) else read_source(policy)
    if isinstance(source, Diagnostic):
        return Built(None, {}, frozenset(), (), {}, (), (), (source,))
    with collection_paused():
        built = build(source, given, directory, kept, unsaved)
    return require_values(built) if complete else built


def lint(
    built: Built, facts: "Facts | None" = None, target: str | None = None
) -> Sequence[Diagnostic]:
    """Return all findings about a policy: those of building it, then those of the checks.

    What comments waive is left out.

    Args:
        built: the policy.
        facts: the host it is for, if known.
        target: the back end it is for, if known: what that cannot express is found too.

    Raises:
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    from tcc import checks  # noqa: PLC0415  (not needed to load a policy)

    with collection_paused():
        found = [*built.found, *checks.run(built, facts, target)]
    if target and built.policy and not built.unset:
        found += lower(built, target, facts)[1]
    return checks.waive(built, dict.fromkeys(found), facts, target)


def lower(
    built: Built,
    target: str,
    facts: "Facts | None" = None,
    settings: Mapping[str, str] | None = None,
) -> "tuple[State, Sequence[Diagnostic]]":
    """Return what should exist on a system, and what that system cannot express.

    Raises:
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    from tcc import plugin  # noqa: PLC0415  (looks through installed distributions)

    if built.policy is None:
        return {}, built.found
    return plugin.backend(target).lower(
        built.policy, plugin.Target(facts, built.spans, settings or {})
    )


def express(
    built: Built,
    target: str,
    facts: "Facts | None" = None,
    settings: Mapping[str, str] | None = None,
) -> "Sequence[Expressed]":
    """Return what becomes of each clause on a system: exact, approximated or refused.

    Raises:
        KeyError, PluginError: there is no such back end, or it cannot be loaded.
    """
    from tcc import plugin  # noqa: PLC0415

    if built.policy is None:
        return ()
    return plugin.backend(target).express(
        built.policy, plugin.Target(facts, built.spans, settings or {})
    )


def scenarios(
    built: Built, verifier: str, facts: "Facts | None" = None, target: str | None = None
) -> "tuple[Sequence[Scenario], Sequence[Diagnostic]]":
    """Return what each objective asks to be run, and what stands against running it.

    Found: what building and lowering found, `no-objective`, what arithmetic alone rules out,
    and what the verifier refuses.

    Args:
        built: the policy.
        verifier: the plugin that is to measure.
        facts: the host it is for, if known.
        target: the back end whose configuration is to be run; None for the kernel's own.

    Raises:
        KeyError, PluginError: there is no such verifier or back end, or it cannot be loaded.
    """
    from tcc import plugin  # noqa: PLC0415
    from tcc.verify.arithmetic import refusals  # noqa: PLC0415
    from tcc.verify.prepare import prepare  # noqa: PLC0415

    if built.policy is None:
        return (), built.found
    made, more = prepare(built.policy, facts, built.spans, target)
    found = [*built.found, *more]
    if not built.policy.objectives:
        found.append(
            warning(
                "no-objective", None, "the policy has no objective, so there is nothing to verify",
                'write: objective "calls survive" { under rrul; require ping latency p99 <= 60ms }',
            )
        )  # fmt: skip
    if has_errors(found):
        return (), list(dict.fromkeys(found))
    found += refusals(built, made, facts)
    for scenario in made:
        found += plugin.verifier(verifier).refuses(scenario, built.spans)
    return made, list(dict.fromkeys(found))


def format_text(source: Source) -> str | Sequence[Diagnostic]:
    """Return the policy in its one layout, or the syntax errors that forbid it."""
    from tcc.syntax.format import format as lay_out  # noqa: PLC0415  (only `fmt` needs it)

    tree, found = parse(source)
    if any(item.severity is Severity.ERROR for item in found):
        return found
    return lay_out(tree)
