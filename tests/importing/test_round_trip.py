"""The whole CAKE option space: policy, back end, import, policy; the same, or in the table."""

import pytest
from hypothesis import given, settings

from tcc import api, plugin
from tcc.express.cakes import CLAUSE_OF
from tcc.importing import policy_of, read
from tcc.importing.found import FoundLink, Imported
from tcc.plugin import Verdict
from tcc.tcwords.cake import CakeSaid
from tests.importing.options import (
    SOURCES,
    built,
    files_for,
    imported_again,
    links,
    meaning,
)

pytestmark = pytest.mark.slow  # `make test` runs them


def test_every_back_end_that_writes_files_can_be_read_again():
    assert set(SOURCES) == set(plugin.names(plugin.BACKENDS)) - {"netlink", "table"}


@given(links)
@settings(max_examples=300, deadline=None)
def test_the_text_of_a_policy_means_what_was_found(link: FoundLink):
    policy = built(link)
    assert meaning(policy) == {side: ("cake", end.cake) for side, end in link.ends.items()}


@given(links)
@settings(max_examples=60, deadline=None)
def test_a_policy_is_laid_out_and_read_as_the_same(link: FoundLink):
    result = policy_of(Imported([link]), "a test")
    policy = api.load(api.Source("p.tcc", result.text))
    assert meaning(policy) == {side: ("cake", end.cake) for side, end in link.ends.items()}
    assert api.format_text(api.Source("p.tcc", result.text)) == result.text


@pytest.mark.parametrize("backend", sorted(SOURCES))
@given(link=links)
@settings(max_examples=150, deadline=None)
def test_generate_then_import_is_the_same_or_in_the_table(backend: str, link: FoundLink):
    policy = built(link)
    rows = api.express(policy, backend)
    found = imported_again(files_for(policy, backend), backend)
    back = found.link(link.device).ends
    for side, end in link.ends.items():
        not_exact = {
            row.clause.split()[0]
            for row in rows
            if row.verdict is not Verdict.EXACT and row.where in ("", f"wan {side}")
        }
        if side not in back:
            assert not_exact & {"bandwidth", "qdisc", side}, (backend, side)
            continue
        for name in CakeSaid._fields:
            if getattr(end.cake, name) != getattr(back[side].cake, name):
                assert CLAUSE_OF[name] in not_exact, (backend, side, name, back[side].cake)


@given(link=links)
@settings(max_examples=150, deadline=None)
def test_qosmate_is_the_same_or_in_the_table(link: FoundLink):
    policy = built(link)
    rows = api.express(policy, "openwrt", None, {"daemon": "qosmate"})
    files = files_for(policy, "openwrt", daemon="qosmate")
    if len(link.ends) < 2:
        assert files == {}
        assert any(row.verdict is Verdict.REFUSED for row in rows)
        return
    [back] = read("qosmate", files["etc/config/qosmate"]).links or [FoundLink("none")]
    for side, end in link.ends.items():
        not_exact = {
            row.clause.split()[0]
            for row in rows
            if row.verdict is not Verdict.EXACT and row.where in ("", f"wan {side}")
        }
        if side not in back.ends:
            assert "bandwidth" in not_exact
            continue
        for name in CakeSaid._fields:
            if getattr(end.cake, name) != getattr(back.ends[side].cake, name):
                assert CLAUSE_OF[name] in not_exact, (side, name, back.ends[side].cake)
