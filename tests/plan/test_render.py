"""Plans in words and as JSON."""

from tcc.plan.diff import diff
from tcc.plan.render import as_json, as_text
from tcc.plan.state import KERNELS_OWN, FileItem, Place, QdiscItem
from tcc_plugins.bfifo import BfifoSettings
from tcc_plugins.cake import Cake, CakeSettings
from tcc_plugins.netlink import host as comparison


def describe(item):
    if not isinstance(item, QdiscItem) or not isinstance(item.settings, CakeSettings):
        return ""
    return " ".join(Cake().command(item.settings)[:2])


def cake(handle, **settings):
    return QdiscItem("cake", handle << 16, CakeSettings(**settings))


OBSERVED = {
    Place("eth0", "root"): cake(1, rate=6_250_000, interval=50_000, target=2_500),
    Place("eth1", "root"): QdiscItem("fq_codel", 0, default=True),
    Place("eth2", "root"): cake(3),
    Place("eth3", "root"): cake(1, rate=125_000),
    Place("eth4", "root"): QdiscItem("htb", 0x10000),
}
WANTED = {
    Place("eth0", "root"): cake(1, rate=11_875_000),
    Place("eth1", "root"): cake(1, rate=125_000),
    Place("eth2", "root"): KERNELS_OWN,
    Place("eth3", "root"): cake(1, rate=125_000),
    Place("eth4", "root"): QdiscItem("bfifo", 0x10000, BfifoSettings(3000)),
}
TEXT = """\
eth0 egress
  change   cake 1:, in place: no packet is lost
           bandwidth 50mbit -> 95mbit
           rtt 50ms -> 100ms
           target 2.5ms -> 5ms

eth1 egress
  add      fq_codel (the kernel's own) -> cake 1:
           bandwidth 1mbit

eth2 egress
  delete   cake 3: -> the kernel's own

eth3 egress
  keep     cake 1: is as wanted

eth4 egress
  replace  htb 1: -> bfifo 2:

4 steps on 4 devices.
"""


def test_in_words():
    assert as_text(diff(OBSERVED, WANTED, comparison), describe) == TEXT


def test_nothing_to_do_is_said_plainly():
    one = {Place("eth3", "root"): WANTED[Place("eth3", "root")]}
    shown = as_text(diff(OBSERVED, one, comparison), describe)
    assert shown == (
        "eth3 egress\n  keep     cake 1: is as wanted\n\nNothing to do: everything is as wanted.\n"
    )


def test_as_json():
    told = as_json(diff(OBSERVED, WANTED, comparison), describe)
    assert told["version"] == 1
    assert [(step["do"], step["device"], step["at"]) for step in told["steps"]] == [
        ("change", "eth0", "root"),
        ("add", "eth1", "root"),
        ("delete", "eth2", "root"),
        ("replace", "eth4", "root"),
    ]
    assert {"setting": "bandwidth", "from": "50000000bit", "to": "95000000bit"} in told["steps"][0][
        "changes"
    ]
    assert told["steps"][2]["after"] is None
    assert told["unchanged"] == [{"device": "eth3", "at": "root"}]


def test_files():
    place = Place("", "etc/config/sqm")
    plan = diff({}, {place: FileItem("config queue\n")}, comparison)
    assert as_text(plan, describe).startswith("etc/config/sqm\n  add      a file\n")
    assert as_json(plan, describe)["steps"][0]["file"] == "etc/config/sqm"
