"""Whatever is read, there is a policy or a reason, and never an exception."""

import json
import random
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tcc import api, language
from tcc.ir import Policy, document
from tcc.passes.whole import check_whole
from tcc.schema import options_models
from tcc.source import Source
from tests.passes.test_properties import plain
from tests.syntax.policy_texts import policies as any_syntax

pytestmark = pytest.mark.slow  # `make test` runs them

often = settings(
    max_examples=60,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
EXAMPLES = [
    path.read_text() for path in sorted((Path(__file__).parents[2] / "docs/examples").glob("*.tcc"))
]
TOKEN = re.compile(r'"[^"\n]*"|[\w.%/-]+|\s+|.')
WORDS = [
    *{word for block in language.BLOCKS.values() for word in block},
    *language.CONDITIONS,
    *sorted(language.RESERVED_VALUES),
    *(":", "=", ",", "+", "-", "*", "/", "of", "..", "(", ")", "{", "}", "<=", ">=", ";", "\n"),
    *("5mbit", "20ms", "64KiB", "95%", "16", "0", "-4B", '"eth0"', "10.0.0.0/8", "::1", "0xff"),
    *("each", "total", "flows", "from", "hosts", "as", "for", "upload", "port", "wan", "sync_up"),
]


@given(any_syntax)
@often
def test_any_syntax(text):
    api.load(Source("policy.tcc", text))


@given(st.sampled_from(EXAMPLES), st.randoms(use_true_random=False), st.integers(1, 6))
@settings(often, max_examples=400)
def test_examples_with_words_changed(text: str, chance: random.Random, changes: int):
    tokens = TOKEN.findall(text)
    for _ in range(changes):
        at = chance.randrange(len(tokens))
        match chance.randrange(4):
            case 0:
                del tokens[at]
            case 1:
                tokens.insert(at, f" {chance.choice(WORDS)} ")
            case 2:
                tokens[at] = chance.choice(WORDS)
            case _:
                other = chance.randrange(len(tokens))
                tokens[at], tokens[other] = tokens[other], tokens[at]
    built = api.load(Source("policy.tcc", "".join(tokens)))
    assert (built.policy is None) == any(item.severity == 2 for item in built.found)
    if built.policy is not None and not built.unset:
        assert check_whole(built.policy, {}) == []
        models = {"qdiscs": options_models()}
        assert document.read(Policy, plain(built.policy), models) == built.policy


NAMES = st.sampled_from(
    ["version", "links", "name", "device", "matching", "egress", "bandwidth", "rate", "qdisc",
     "kind", "options", "inner", "tiers", "matches", "dscp", "tin", "objectives", "require"]
)  # fmt: skip
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 300), st.floats(allow_nan=False),
    st.sampled_from(["tbf", "cake", "auto", "5mbit", "20ms", "eth0", "voice", "", "\0", "a/b"]),
)  # fmt: skip
ANY_JSON = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=25,
)


@given(ANY_JSON)
@settings(often, max_examples=200)
def test_any_json(data):
    built = api.load(Source("policy.tcc.json", json.dumps(data)))
    assert (built.policy is None) == bool(built.found)


@given(st.text('{}[]":,0123456789 .eE+-tfnabu\\links', max_size=60))
@settings(often, max_examples=300)
def test_any_text_as_json(text):
    built = api.load(Source("policy.tcc.json", text))
    assert (built.policy is None) == bool(built.found)
    try:
        json.loads(text)
    except ValueError:
        assert built.policy is None
