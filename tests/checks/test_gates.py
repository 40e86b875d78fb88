"""A rule that is not imported would have found nothing: features only save time."""

from importlib import import_module
from pathlib import Path

import pytest

from tcc import api, checks
from tcc.checks.features import features_of
from tcc.checks.view import view_of
from tcc.source import Source
from tests.checks.policies import apart
from tests.checks.reports import FOUND as REPORTED
from tests.checks.test_rules import FOUND, OPEN, RIGHT

CLEAN = sorted((Path(__file__).parents[1] / "clean").glob("*.tcc"))
POLICIES = [
    *(policy for _, policy, _ in FOUND),
    *(policy for _, policy in RIGHT),
    *(case.policy for case in REPORTED.values()),
    *(path.read_text() for path in CLEAN),
    OPEN,
]


CODES = {code for code, needs in checks.RULES if not {"facts", "openwrt", "names"} & {*needs}}
"""All but those that need more than the policy, and `unused-name`: names alone are no policy."""


def test_no_rule_is_kept_from_what_it_would_find():
    for text in POLICIES:
        built = api.load(Source("test.tcc", apart(text)))
        if built.policy is None:
            continue
        view = view_of(built, None, None)
        features = features_of(view.built, view.sides, None, None)
        asked = {code for code, needs in checks.RULES if features.issuperset(needs)}
        for code in CODES:
            rule = import_module(f"tcc.checks.{code.replace('-', '_')}")
            if any(True for _ in rule.check(view)):
                assert code in asked, text


@pytest.mark.parametrize("path", CLEAN, ids=lambda path: path.stem)
def test_plugins_that_are_not_asked_have_nothing_to_say(path):
    from tcc.checks.lowering import of_qdiscs

    assert of_qdiscs(view_of(api.load(str(path)), None, None)) == []


def test_a_sample_policy_needs_few_rules():
    built = api.load(str(Path(__file__).parents[2] / "docs/examples/home.tcc"))
    view = view_of(built, None, None)
    features = features_of(view.built, view.sides, None, None)
    assert "lowering" not in features
    assert len({code for code, needs in checks.RULES if features.issuperset(needs)}) <= 12
