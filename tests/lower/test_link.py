"""One wish to one qdisc: kind, settings, children, explanations, findings."""

from dataclasses import replace
from pathlib import Path

import pytest

from tcc import api
from tcc.facts import DeviceFacts, Facts
from tcc.lower import lower_link, lower_policy, wishes
from tcc.source import Source
from tests.plugins.lowered import link, lower_one, lower_text, settings_of

POLICIES = Path(__file__).parents[1] / "data/policies"
PARAMS = {"branch": {"up": "18mbit", "down": "90mbit"}}
OLD = Facts(qdiscs=("tbf", "fq_codel", "sfq", "bfifo"), devices=(DeviceFacts(name="eth0"),))


@pytest.mark.parametrize("path", sorted(POLICIES.glob("*.tcc")), ids=lambda path: path.stem)
def test_policies_lower_without_warnings(path):
    built = api.load(str(path), PARAMS.get(path.stem, {}))
    lowered, found = lower_policy(built.policy, None, built.spans)
    assert all(one.settings is not None for one in lowered)
    assert [item for item in found if str(item.severity) != "note"] == []


@pytest.mark.parametrize("path", sorted(POLICIES.glob("*.tcc")), ids=lambda path: path.stem)
def test_every_clause_is_explained(path):
    """What a direction says, and the link's framing and role, became something."""
    built = api.load(str(path), PARAMS.get(path.stem, {}))
    lowered, _ = lower_policy(built.policy, None, built.spans)
    for one in lowered:
        clauses = {words.clause.split()[0] for words in one.explained}
        said = {
            name.replace("_", "-")
            for name in one.wish.shaping.__dataclass_fields__
            if name != "prefer" and getattr(one.wish.shaping, name) is not None
        }
        said |= {name for name in ("framing", "role") if getattr(one.wish.link, name) is not None}
        if one.kind == "tbf":
            said -= {"role"}  # it is why senders can wait; `backpressure` says so
        assert said <= clauses


@pytest.mark.parametrize("inner", ["bfifo", "pfifo", "sfq", "fq_codel", "cake"])
def test_what_a_plain_queue_does_anyway_is_explained(inner):
    """Clauses that come to nothing are said to come to nothing."""
    clauses = ["tiers besteffort", "ack-filter off", "dscp keep", "gso keep"]
    clauses += ["rtt 30ms", "memory 1MiB"] if inner in ("fq_codel", "cake") else []
    text = f"bandwidth 1mbit; {'; '.join(clauses)}; qdisc tbf {{ inner {inner} }}"
    lowered = lower_one(link(text))
    assert lowered.settings is not None
    assert set(clauses) <= {words.clause for words in lowered.explained}


def test_no_cake_means_tbf_with_fair_queues():
    lowered = lower_one(link("bandwidth 50mbit"), OLD)
    assert (lowered.kind, [child.kind for child in lowered.children]) == ("tbf", ["fq_codel"])
    assert lowered.explained[0].because == "this kernel has no cake"


@pytest.mark.parametrize(
    ("kinds", "inner"),
    [
        (("tbf", "fq_codel", "sfq"), "fq_codel"),
        (("tbf", "sfq"), "sfq"),
        (("tbf", "bfifo"), "bfifo"),
    ],
)
def test_inner_queue_is_the_best_there_is(kinds, inner):
    assert settings_of(link("bandwidth 50mbit"), Facts(qdiscs=kinds)).inner.kind == inner


def test_tbf_says_what_it_cannot_do_for_cake():
    lowered, found = lower_text(link("bandwidth 50mbit; tiers diffserv4; fairness per-host"), OLD)
    assert found == [("qdisc-cannot-express", "diffserv4"), ("qdisc-cannot-express", "per-host")]
    assert lowered[0].settings is None
    assert lowered[0].children == ()


@pytest.mark.parametrize(
    ("body", "facts", "code"),
    [
        ("bandwidth 1mbit; qdisc cake", OLD, "qdisc-missing"),
        ("bandwidth 1mbit; qdisc tbf { inner cake }", OLD, "qdisc-missing"),
        ("bandwidth unlimited", OLD, "no-shaper"),
        ("bandwidth 1mbit", Facts(qdiscs=("mq", "pfifo_fast")), "no-shaper"),
    ],
)
def test_what_the_kernel_lacks(body, facts, code):
    lowered, found = lower_text(link(body), facts)
    assert [found_code for found_code, _ in found] == [code]
    assert lowered[0].settings is None


def test_alternatives_are_named():
    [missing] = lower_one(link("bandwidth 1mbit; qdisc cake"), OLD).found
    assert "tbf" in missing.hints[0]


@pytest.mark.parametrize(("kind", "code"), [("nosuch", "unknown-qdisc"), ("sfq", "inner-qdisc")])
def test_kinds_of_a_policy_given_as_json(kind, code):
    """Text is checked while it is read; a policy made elsewhere is checked here."""
    built = api.load(Source("test.tcc", link("bandwidth 1mbit; qdisc cake")))
    [wish] = wishes(built.policy, None, built.spans)[0]
    choice = replace(wish.shaping.qdisc, kind=kind)
    other = replace(wish, shaping=replace(wish.shaping, qdisc=choice))
    assert [item.code for item in lower_link(other).found] == [code]


def test_same_policy_lowers_the_same():
    text = link("bandwidth 50mbit; tiers diffserv4; fairness per-host", "role router")
    assert lower_one(text) == lower_one(text)
