"""The order of steps around the qdiscs: a redirect is the last to come and the first to go."""

import json

import pytest

from tcc.apply.codec import state_from_json, state_to_json
from tcc.plan.diff import diff
from tcc.plan.operation import Verb
from tcc.plan.render import as_json, as_text
from tcc.plan.restore import restore, unlike
from tcc.plan.state import (
    KERNELS_OWN,
    NOTHING,
    FilterItem,
    HookItem,
    LinkItem,
    Place,
    QdiscItem,
    RulesItem,
)
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.netlink import host as comparison

IFB, ROOT = Place("ifb-wan", "link"), Place("ifb-wan", "root")
HOOK, REDIRECT, MARKS = Place("wan", "ingress"), Place("wan", "redirect"), Place("wan", "marks")
FILTER = FilterItem("u32", redirects="ifb-wan")
RULES = RulesItem("tcc-wan", 'table inet tcc-wan {\n\tchain a {\n\t\tx comment "tcc 1"\n\t}\n}\n')
WANTED = {
    IFB: LinkItem("ifb"),
    ROOT: QdiscItem("bfifo", 1 << 16, BfifoSettings(3000)),
    HOOK: HookItem("clsact"),
    REDIRECT: FILTER,
    MARKS: RULES,
}
BARE = {IFB: NOTHING, HOOK: NOTHING, REDIRECT: NOTHING, MARKS: NOTHING}
COMPLETE = {**WANTED, IFB: LinkItem("ifb", number=7, address=b"\2\0\0\0\0\1")}


def steps(plan):
    return [(step.verb.value, step.place.device, step.place.at) for step in plan.operations]


def test_the_redirect_comes_last():
    assert steps(diff(BARE, WANTED, comparison)) == [
        ("add", "ifb-wan", "link"),
        ("add", "ifb-wan", "root"),
        ("add", "wan", "ingress"),
        ("add", "wan", "marks"),
        ("add", "wan", "redirect"),
    ]


def test_on_the_way_back_it_goes_first():
    assert steps(restore(COMPLETE, BARE, comparison)) == [
        ("delete", "wan", "redirect"),
        ("delete", "wan", "ingress"),
        ("delete", "ifb-wan", "link"),
        ("delete", "wan", "marks"),
    ]
    assert not restore(BARE, BARE, comparison)


def test_nothing_is_done_twice():
    assert not diff(COMPLETE, WANTED, comparison)
    assert not unlike(COMPLETE, COMPLETE, comparison)


def test_a_device_that_was_there_is_made_again_as_it_was():
    plan = restore(BARE, COMPLETE, comparison)
    assert [at for _, _, at in steps(plan)] == ["link", "root", "ingress", "marks", "redirect"]
    assert plan.operations[0].after == COMPLETE[IFB]


def test_a_redirect_that_leads_nowhere_is_taken_away_before_all_else():
    broken = {**COMPLETE, IFB: NOTHING, REDIRECT: FilterItem("u32", dead=True)}
    del broken[ROOT]
    assert steps(diff(broken, WANTED, comparison)) == [
        ("delete", "wan", "redirect"),
        ("add", "ifb-wan", "link"),
        ("add", "ifb-wan", "root"),
        ("add", "wan", "redirect"),
    ]


def test_one_that_led_nowhere_does_not_come_back():
    broken = {**BARE, HOOK: HookItem("clsact"), REDIRECT: FilterItem("u32", dead=True)}
    back = restore(COMPLETE, broken, comparison)
    assert ("add", "wan", "redirect") not in steps(back)
    assert not unlike({**broken, REDIRECT: NOTHING}, broken, comparison)
    assert not unlike(broken, broken, comparison)
    assert unlike(COMPLETE, broken, comparison)


@pytest.mark.parametrize("hook", [HookItem("clsact", others=1), HookItem("clsact", shared=True)])
def test_a_hook_that_others_use_stays(hook):
    now = {**COMPLETE, HOOK: hook}
    assert ("delete", "wan", "ingress") not in steps(restore(now, BARE, comparison))
    assert not unlike({**BARE, HOOK: hook}, BARE, comparison)


def test_a_device_that_is_down_is_set_up_and_keeps_all():
    (step,) = diff({**COMPLETE, IFB: LinkItem("ifb", up=False)}, WANTED, comparison).operations
    assert (step.verb, step.place) == (Verb.CHANGE, IFB)
    assert [(one.name, one.observed, one.wanted) for one in step.differences] == [
        ("up", "no", "yes")
    ]


def test_a_device_with_too_few_queues_is_made_anew_and_takes_all_along():
    more = {**WANTED, IFB: LinkItem("ifb", tx_queues=4)}
    anew = [
        ("delete", "wan", "redirect"),  # first of all: packets pass unshaped, and are not lost
        ("delete", "ifb-wan", "link"),
        ("add", "ifb-wan", "link"),
        ("add", "ifb-wan", "root"),
        ("add", "wan", "redirect"),
    ]
    assert steps(diff(COMPLETE, more, comparison)) == anew
    now = {**COMPLETE, IFB: LinkItem("ifb", tx_queues=4, number=9)}
    assert not diff(now, more, comparison)
    assert not diff(now, WANTED, comparison)  # more than it takes is enough
    back = restore(now, COMPLETE, comparison)
    assert steps(back) == anew
    assert back.operations[2].after == COMPLETE[IFB]
    assert unlike(now, COMPLETE, comparison) == [IFB]


def test_another_filter_is_taken_away_and_ours_added():
    other = {**COMPLETE, REDIRECT: FilterItem("u32", redirects="elsewhere")}
    assert steps(diff(other, WANTED, comparison)) == [
        ("delete", "wan", "redirect"),
        ("add", "wan", "redirect"),
    ]


def test_rules_that_others_changed_are_replaced_at_one_go():
    (step,) = diff(
        {**COMPLETE, MARKS: RulesItem("tcc-wan", RULES.text.replace("tcc 1", "tcc 2"))},
        WANTED, comparison,
    ).operations  # fmt: skip
    assert (step.verb, step.place) == (Verb.CHANGE, MARKS)


def test_what_is_not_wanted_any_more_goes():
    assert steps(diff(COMPLETE, BARE, comparison)) == [
        ("delete", "wan", "redirect"),
        ("delete", "wan", "ingress"),
        ("delete", "ifb-wan", "link"),
        ("delete", "wan", "marks"),
    ]


def test_a_journal_holds_it_all():
    state = {
        **COMPLETE,
        Place("wan", "root"): KERNELS_OWN,
        Place("wan", "priority"): FilterItem("bpf", (63, 128), "", True, True, "x", ("links", 0)),
        Place("lan", "ingress"): NOTHING,
        Place("lan", "link"): LinkItem("ifb", False, 4, 9, b"\1", ("links", 1)),
    }
    told = json.loads(json.dumps(state_to_json(state)))
    read = state_from_json(told)
    assert list(read) == list(state)
    for place, item in state.items():
        if place != ROOT:
            assert read[place] == item
    assert not comparison.differences(read[ROOT], state[ROOT])


def test_in_words():
    text = as_text(diff(BARE, WANTED, comparison), lambda item: "")
    assert "ifb-wan\n  add      ifb device ifb-wan\n  add      bfifo 1:\n" in text
    assert "wan ingress\n  add      clsact\n  add      redirect to ifb-wan (u32)\n" in text
    assert "5 steps on 2 devices." in text
    told = as_json(diff(BARE, WANTED, comparison), lambda item: "")
    assert [step["at"] for step in told["steps"]][-1] == "redirect"
    assert json.loads(json.dumps(told)) == told
