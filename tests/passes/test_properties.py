"""Properties that hold of every policy that builds."""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tcc import api
from tcc.ir import Policy, document
from tcc.ir.base import Node
from tcc.passes import Built
from tcc.passes.whole import check_whole
from tcc.schema import options_models, to_json
from tcc.source import Source
from tests.strategies import policies

pytestmark = pytest.mark.slow  # `make test` runs them

# A failing policy is printed whole; making it smaller would take minutes.
often = settings(
    max_examples=50,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)


def built(text: str) -> Built:
    result = api.load(Source("policy.tcc", text))
    assert [f"{item.code}: {item.message}" for item in result.found] == []
    assert result.policy is not None
    return result


@given(policies())
@often
def test_validation_would_change_nothing(text):
    """Nodes are put together without validation: that is as good as with it."""
    policy = built(text).policy
    again = document.read(Policy, plain(policy), {"qdiscs": options_models()})
    assert again == policy
    assert hash(again) == hash(policy)


def plain(node):
    """The node as dictionaries of the same Python values; options stay, they were read so."""
    if isinstance(node, Node) and not type(node).__name__.endswith("Options"):
        return {name: plain(value) for name, value in node.__dict__.items()}
    return tuple(map(plain, node)) if isinstance(node, tuple) else node


@given(policies())
@often
def test_json_and_back_is_the_identity(text):
    policy = built(text).policy
    again = api.load(Source("policy.tcc.json", to_json(policy)))
    assert [f"{item.path}: {item.message}" for item in again.found] == []
    assert again.policy == policy


@given(policies())
@often
def test_no_policy_that_builds_contradicts_itself(text):
    assert check_whole(built(text).policy, {}) == []


@given(policies())
@often
def test_layout_changes_no_meaning(text):
    laid_out = api.format_text(Source("policy.tcc", text))
    assert isinstance(laid_out, str)
    assert built(laid_out).policy == built(text).policy


@given(policies())
@often
def test_every_place_is_in_the_text_and_of_a_part(text):
    result = built(text)
    for path, span in result.spans.items():
        assert 0 <= span.start < span.end <= len(text)
        node = result.policy
        for part in path:  # every path leads somewhere
            node = node[part] if isinstance(part, int) else getattr(node, part)
