"""The example on the page of each check provokes that finding, and nothing else."""

import re

import pytest

from tcc import api, checks, pages
from tcc.facts import DeviceFacts, Facts, QdiscFacts
from tcc.source import Source

SIZED = QdiscFacts(kind="htb", handle="1:", parent="root", sized=True)
HOSTS = {
    "bandwidth-above-device": Facts(devices=(DeviceFacts(name="eth0", speed=1_000_000_000),)),
    "cake-mq-kernel": Facts(kernel="7.0.3", devices=(DeviceFacts(name="eth0", tx_queues=4),)),
    "framing-counted-twice": Facts(devices=(DeviceFacts(name="eth0", qdiscs=(SIZED,)),)),
}
OF_WAIVERS = ("waiver-malformed", "waiver-unknown-code", "waiver-unused", "waiver-of-error",
              "waiver-without-reason")  # fmt: skip
WITH_ANOTHER = {
    "waiver-malformed": "bandwidth-implausible",
    "waiver-unknown-code": "bandwidth-implausible",
    "waiver-of-error": "tbf-burst-below-frame",
    "tier-moved-by-cake-mq": None,
}
"""Examples that need a second finding to show theirs."""
CODES = sorted({code for code, _ in checks.RULES} | set(OF_WAIVERS))


@pytest.mark.parametrize("code", CODES)
def test_example_provokes_its_finding_alone(code):
    [example] = re.findall(r"```tcc\n(.*?)```", pages.page(code) or "", re.DOTALL)
    built = api.load(Source("example.tcc", example))
    assert built.policy is not None, built.found
    facts = HOSTS.get(code)
    if code == "ifb-name-collision":
        found = checks.run(built, facts, "openwrt")
    else:
        found = api.lint(built, facts)
    expected = {code, WITH_ANOTHER.get(code) or code}
    assert {item.code for item in found} == expected


@pytest.mark.parametrize("code", sorted({code for code, _ in checks.RULES}))
def test_the_reason_has_a_number(code):
    """A mechanism without a size is an opinion."""
    why = (pages.page(code) or "").partition("## Why\n")[2].partition("\n## ")[0]
    assert re.search(r"[0-9]", re.sub(r"\b(?:CS|AF|IPv|diffserv)[0-9]", "", why)), why


def test_every_rule_has_its_file_and_page():
    for code in CODES:
        assert code in pages.codes()
