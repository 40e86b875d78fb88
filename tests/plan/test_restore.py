"""The way back, against a model of the kernel's rules; tests/apply has the kernel itself.

The model refuses what net/sched refuses, so a restore that it takes to `before` by legal
steps is one that the kernel would take too.
"""

from hypothesis import given
from hypothesis import strategies as st

from tcc.plan.operation import Verb
from tcc.plan.restore import restore, unlike
from tcc.plan.state import Place, QdiscItem
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.netlink import host as comparison

HANDLES = st.integers(1, 4).map(lambda major: major << 16)
SETTINGS = st.integers(1, 3).map(BfifoSettings)


@st.composite
def devices(draw):
    """What hangs on one device: the kernel's own, or a root with up to two inner ones."""
    if draw(st.booleans()):
        return {"root": QdiscItem("noqueue", 0, default=True)}
    majors = draw(st.lists(HANDLES, min_size=1, max_size=3, unique=True))
    hanging = {}
    for place, handle in enumerate(majors):
        kind = draw(st.sampled_from(["bfifo", "strange", "odd"]))
        settings = draw(SETTINGS) if kind == "bfifo" else None
        raw = b"" if kind == "bfifo" else draw(st.sampled_from([b"a", b"b"]))
        at = "root" if place == 0 else f"{majors[0] >> 16:x}:{place:x}"
        hanging[at] = QdiscItem(kind, handle, settings, raw)
    return hanging


def carry_out(hanging, step):
    """One step, by tc_modify_qdisc() and tc_get_qdisc() of net/sched/sch_api.c."""
    at, there = step.place.at, hanging.get(step.place.at)
    explicit = there is not None and not there.default
    handles = {item.handle: kind for kind, item in hanging.items() if item.handle}
    if step.verb is Verb.DELETE:
        assert at == "root"
        assert explicit
        hanging.clear()
        hanging["root"] = QdiscItem("noqueue", 0, default=True)
        return
    after = step.after
    if step.verb is Verb.CHANGE:
        assert explicit
        assert (there.kind, there.handle) == (after.kind, after.handle)
    else:
        assert step.verb is Verb.REPLACE or not explicit, "EEXIST"
        assert after.handle not in handles, "an existing one would be changed or moved"
        if at == "root":
            hanging.clear()
    if at != "root":
        owners = [item.handle >> 16 for item in hanging.values()]
        assert int(at.partition(":")[0], 16) in owners, "no such parent"
    hanging[at] = after


@given(devices(), devices())
def test_legal_steps_lead_from_anything_to_exactly_what_was(now, before):
    current = {Place("eth0", at): item for at, item in now.items()}
    target = {Place("eth0", at): item for at, item in before.items()}
    for step in restore(current, target, comparison).operations:
        carry_out(now, step)
    assert {at: (i.kind, i.handle, i.settings, i.raw) for at, i in now.items()} == {
        at: (i.kind, i.handle, i.settings, i.raw) for at, i in before.items()
    }
    there = {Place("eth0", at): item for at, item in now.items()}
    assert not unlike(there, target, comparison)


@given(devices())
def test_what_is_as_it_was_needs_no_step(now):
    state = {Place("eth0", at): item for at, item in now.items()}
    assert not restore(state, state, comparison)
    assert not unlike(state, state, comparison)


def item(kind="strange", handle=1, raw=b"a"):
    return QdiscItem(kind, handle << 16, None, raw)


def test_the_last_device_comes_back_first():
    before = {Place(name, "root"): QdiscItem("", 0, default=True) for name in ("a", "b", "c")}
    current = {Place(name, "root"): item() for name in ("a", "b", "c")}
    assert list(restore(current, before, comparison).by_device()) == ["c", "b", "a"]


def test_a_device_that_is_gone_is_left_out():
    before = {Place("a", "root"): item(), Place("b", "root"): item()}
    current = {Place("a", "root"): item(raw=b"b")}
    assert list(restore(current, before, comparison).by_device()) == ["a"]
    assert unlike(current, before, comparison) == [Place("a", "root")]


def test_another_default_than_before_is_not_alike():
    before = {Place("a", "root"): QdiscItem("pfifo_fast", 0, default=True)}
    current = {Place("a", "root"): QdiscItem("fq_codel", 0, default=True)}
    assert unlike(current, before, comparison) == [Place("a", "root")]


def test_a_device_that_is_down_has_no_default_until_it_comes_up():
    before = {Place("a", "root"): QdiscItem("pfifo_fast", 0, default=True)}
    current = {Place("a", "root"): QdiscItem("", 0, default=True)}
    assert not unlike(current, before, comparison)
