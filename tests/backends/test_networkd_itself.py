"""systemd-networkd of this machine, on what is generated for it, under Linux 7.3."""

import json
from pathlib import Path
from typing import Any

import pytest

from tcc import api
from tcc.express import is_cake, said_of
from tcc.importing import read
from tcc.lower import lower_policy
from tcc.source import Source

GUEST = Path(__file__).with_name("guest_networkd.py")
NAMES = ("home", "atm", "raw", "mark", "unlimited", "bucket")

pytestmark = pytest.mark.uml


def lowered(clauses: str) -> Any:
    built = api.load(Source("p.tcc", f'link wan {{\ndevice "eth7"\n{clauses}\n}}'))
    [one] = lower_policy(built.policy, None, {})[0]
    return one


@pytest.mark.parametrize("name", [name for name in NAMES if name != "bucket"])
def test_its_cake_is_what_the_policy_means(name: str, guest_report: Any):
    one = lowered(guest_report["policies"][name])
    assert is_cake(one)
    shown = [dict(qdisc, dev="eth7") for qdisc in guest_report["made"][name]]
    [link] = read("tc-json", json.dumps(shown)).links
    assert link.ends["egress"].cake == said_of(one)


def test_its_bucket(guest_report: Any):
    """10 Mbit/s are 1250000 bytes a second; 50 ms of it and the bucket may wait."""
    [root] = guest_report["made"]["bucket"]
    settings = lowered(guest_report["policies"]["bucket"]).settings
    assert root["kind"] == "tbf"
    assert root["options"]["rate"] == settings.rate == 1_250_000
    assert root["options"]["lat"] == 50_000
    assert settings.limit == 1_250_000 * 50 // 1000 + 16384
