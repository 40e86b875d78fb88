"""States as JSON: what is wanted comes back as it was asked for, what was seen as it was seen."""

import json
from dataclasses import replace

import pytest

from tcc.apply.codec import state_from_json, state_to_json
from tcc.plan.state import Place, QdiscItem
from tcc.plugin import qdisc
from tcc_plugins.cake import CakeSettings
from tcc_plugins.fq_codel import FqCodelSettings
from tcc_plugins.sfq import SfqSettings
from tcc_plugins.tbf import TbfSettings

PLACE = Place("eth0", "1:1")
# What a kernel of 7.3 dumps of fq_codel's defaults: it counts times in 1024 ns.
DUMPED = FqCodelSettings(target=4999, interval=99999)


def through_json(item: QdiscItem) -> QdiscItem:
    [read] = state_from_json(json.loads(json.dumps(state_to_json({PLACE: item})))).values()
    assert isinstance(read, QdiscItem)
    return read


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("fq_codel", FqCodelSettings()),
        ("fq_codel", FqCodelSettings(target=2000, interval=20_000, ce_threshold=1000)),
        ("fq_codel", FqCodelSettings(target=0, ce_threshold=0)),
        ("cake", CakeSettings(1_250_000, moves=(250_000, 3_750_000))),
        ("cake", CakeSettings(interval=0, target=0, overhead=70_000)),
        ("sfq", SfqSettings(limit=20_000, depth=200)),
        ("tbf", TbfSettings(rate=1_000_003, limit=100_001, burst=1_601)),
    ],
)
def test_wanted_settings_come_back_as_they_were_asked_for(kind, settings):
    item = QdiscItem(kind, 1 << 16, settings)
    once = through_json(item)
    assert once.settings == settings
    assert through_json(once).settings == settings  # a way back merges records, and writes anew
    assert not qdisc(kind).differences(settings, once.settings)


def test_what_the_kernel_dumped_is_kept_as_it_was_and_means_what_was_asked_for():
    payload = qdisc("fq_codel").netlink(DUMPED)
    item = QdiscItem("fq_codel", 1 << 16, qdisc("fq_codel").read(payload), payload)
    assert item.settings == replace(DUMPED, target=5000, interval=100_000)
    assert through_json(item) == item


def test_settings_of_no_plugin_are_their_bytes():
    item = QdiscItem("strange", 1 << 16, None, b"\1\2")
    assert through_json(item) == item
