"""The example on the page of each finding of lowering provokes that finding."""

import re

import pytest

from tcc import pages
from tcc.checks import RULES
from tcc.facts import DeviceFacts, Facts
from tests.plugins.lowered import lower_text

ETH0 = DeviceFacts(name="eth0")
HOSTS = {
    "cake-mq-one-queue": Facts(devices=(ETH0,)),
    "device-missing": Facts(devices=(DeviceFacts(name="eth1"),)),
    "device-pattern-empty": Facts(devices=(ETH0,)),
    "no-shaper": Facts(qdiscs=("fq_codel",), devices=(ETH0,)),
    "qdisc-missing": Facts(qdiscs=("tbf",), devices=(ETH0,)),
}
OURS = sorted(
    code
    for code in set(pages.codes()) - {rule for rule, _ in RULES}
    if code.startswith(("cake-", "tbf-", "sfq-", "fifo-", "backpressure-"))
    or code in HOSTS
    or code in ("device-pattern-unresolved", "device-claimed-twice", "gso-split-above",
                "qdisc-option-contradicts", "qdisc-cannot-express", "rate-below-byte",
                "tier-without-tin")
)  # fmt: skip


@pytest.mark.parametrize("code", OURS)
def test_example_provokes_its_finding(code):
    [example] = re.findall(r"```tcc\n(.*?)```", pages.page(code), re.DOTALL)
    _, found = lower_text(example, HOSTS.get(code))
    assert code in [item for item, _ in found]


def test_pages_are_there():
    assert len(OURS) >= 42
