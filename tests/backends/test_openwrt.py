"""sqm's configuration: read back by a UCI library, compared with what the policy means.

Expected option values come from sqm-scripts 1.7 (its option names and what its scripts do with
them) and from hand-worked numbers: 95% of 20mbit is 19000 kbit/s.
"""

import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from uciparse.uci import UciConfigLine, UciFile, UciOptionLine

from tcc import api
from tcc.diagnostics import Severity
from tcc.plan.state import FileItem, Place
from tcc.source import Source
from tcc_plugins.openwrt.uci import quoted, section_name
from tests.backends.files import written

CONFIG, BATCH = Place("", "etc/config/sqm"), Place("", "sqm.uci")
BOTH = """
link wan {{
    device "eth1"
    {framing}
    role router
    egress {{ bandwidth 95% of 20mbit; tiers {tiers}; fairness per-host; rtt 50ms; {more} }}
    ingress {{ bandwidth 80mbit; tiers {tiers}; fairness per-host; dscp wash }}
}}
"""


def lowered(text: str) -> tuple[dict[str, dict[str, str]], str, list[str]]:
    """Return sqm's sections as a UCI library reads them, the batch, and the codes found."""
    built = api.load(Source("p.tcc", text))
    assert built.policy, built.found
    state, found = api.lower(built, "openwrt")
    codes = [item.code for item in found]
    if CONFIG not in state:
        return {}, "", codes
    config, batch = state[CONFIG], state[BATCH]
    assert isinstance(config, FileItem)
    assert isinstance(batch, FileItem)
    return sections_of(config.text), batch.text, codes


def sections_of(text: str) -> dict[str, dict[str, str]]:
    sections: dict[str, dict[str, str]] = {}
    for line in UciFile.from_text(text).lines:
        if isinstance(line, UciConfigLine):
            assert line.section == "queue"
            options = sections[str(line.name)] = {}
        elif isinstance(line, UciOptionLine):
            assert line.name not in options
            options[line.name] = line.value
    return sections


def both(tiers: str = "diffserv4", framing: str = "framing ethernet", more: str = "") -> str:
    return BOTH.format(tiers=tiers, framing=framing, more=more)


def test_a_home_line_reads_back_as_it_was_meant():
    sections, _, codes = lowered(both(more="ack-filter on"))
    assert codes == []
    wan = sections["wan"]
    assert (wan["interface"], wan["upload"], wan["download"]) == ("eth1", "19000", "80000")
    assert (wan["enabled"], wan["qdisc"], wan["script"]) == ("1", "cake", "layer_cake.qos")
    assert (wan["linklayer"], wan["overhead"], wan["tcMPU"]) == ("ethernet", "38", "84")
    egress, ingress = set(wan["eqdisc_opts"].split()), set(wan["iqdisc_opts"].split())
    assert {"diffserv4", "nat", "dual-srchost", "ack-filter", "nowash"} <= egress
    assert {"diffserv4", "nat", "dual-dsthost", "ingress", "wash"} <= ingress
    assert "ingress" not in egress
    assert "rtt 50000us" in wan["eqdisc_opts"]
    assert "rtt 100000us" in wan["iqdisc_opts"]


def test_the_options_decide_against_what_the_script_would_do():
    wan = lowered(both())[0]["wan"]
    assert (wan["squash_dscp"], wan["squash_ingress"]) == ("0", "0")
    words = wan["iqdisc_opts"].split()
    modes = [word for word in words if word.startswith(("diffserv", "besteffort", "precedence"))]
    assert modes == ["diffserv4"]


def test_luci_keeps_what_its_groups_are_ticked_for():
    wan = lowered(both())[0]["wan"]
    groups = ("qdisc_advanced", "qdisc_really_really_advanced", "linklayer_advanced")
    assert {wan[group] for group in groups} == {"1"}


def test_plain_script_where_nothing_looks_at_dscp():
    assert lowered(both(tiers="besteffort"))[0]["wan"]["script"] == "piece_of_cake.qos"


@pytest.mark.parametrize(
    ("framing", "linklayer", "overhead", "cells"),
    [
        ("framing pppoe-ptm", "ethernet", "30", "ptm"),
        ("framing pppoe-llcsnap", "atm", "40", None),
        ("framing ethernet + vlan", "ethernet", "42", None),
        ("framing { overhead -4B; mpu 0B }", "ethernet", "-4", None),
    ],
)
def test_framing(framing: str, linklayer: str, overhead: str, cells: str | None):
    wan = lowered(both(framing=framing))[0]["wan"]
    assert (wan["linklayer"], wan["overhead"]) == (linklayer, overhead)
    for name in ("eqdisc_opts", "iqdisc_opts"):
        assert ("ptm" in wan[name].split()) is (cells == "ptm")


def test_raw_framing_leaves_the_link_layer_alone():
    wan = lowered(both(framing="framing raw"))[0]["wan"]
    assert wan["linklayer"] == "none"
    assert "overhead" not in wan


def test_one_direction_leaves_the_other_alone():
    wan = lowered('link wan { device "eth1"; framing raw; egress { bandwidth 5mbit } }')[0]["wan"]
    assert (wan["upload"], wan["download"]) == ("5000", "0")
    assert "iqdisc_opts" not in wan


def test_cake_mq_is_asked_for_by_use_mq():
    text = 'link wan { device "eth1"; framing raw; egress { bandwidth 2gbit; qdisc cake_mq } }'
    wan = lowered(text)[0]["wan"]
    assert (wan["qdisc"], wan["use_mq"]) == ("cake", "1")


def test_token_bucket_counts_from_the_link_layer_header():
    text = (
        'link wan { device "eth1"; framing { overhead 22B }'
        "\n egress { bandwidth 5mbit; qdisc tbf { inner fq_codel } } }"
    )
    sections, _, codes = lowered(text)
    wan = sections["wan"]
    assert (wan["script"], wan["qdisc"]) == ("simplest_tbf.qos", "fq_codel")
    assert (wan["overhead"], wan["linklayer_adaptation_mechanism"]) == ("8", "tc_stab")
    assert codes == ["sqm-queue-burst"]


@pytest.mark.parametrize(
    "shaping",
    [
        "egress { bandwidth unlimited }",
        "egress { bandwidth 999bit }",
        "egress { bandwidth 5mbit; qdisc tbf { burst 10KiB; inner fq_codel } }",
        "egress { bandwidth 5mbit; qdisc tbf { latency 20ms; inner fq_codel } }",
        "egress { bandwidth 5mbit; qdisc tbf { inner pfifo } }",
        "egress { bandwidth 5mbit; qdisc tbf { peak 6mbit; inner sfq } }",
        "egress { bandwidth 2gbit; qdisc cake_mq }\n ingress { bandwidth 2gbit; qdisc cake }",
        # a daemon moves the one, the kernel the other
        "egress { bandwidth 5mbit within 2mbit..9mbit; qdisc cake }\n"
        "ingress { bandwidth 9mbit; qdisc cake { autorate-ingress } }",
    ],
)
def test_what_sqm_cannot_be_told_is_an_error_at_its_words(shaping: str):
    built = api.load(Source("p.tcc", f'link wan {{ device "eth1"; framing raw\n {shaping}\n }}'))
    assert built.policy, built.found
    errors = [
        item
        for item in api.lower(built, "openwrt")[1]
        if item.severity is Severity.ERROR and item.code == "sqm-cannot"
    ]
    assert errors
    assert all(item.span and item.span.end > item.span.start for item in errors)


def test_a_second_link_on_the_device_is_refused_because_sqm_would_skip_it():
    link = 'link {} {{ device "eth1"; framing raw; egress {{ bandwidth 5mbit }} }}\n'
    codes = lowered(link.format("one") + link.format("two"))[2]
    assert "sqm-cannot" in codes or "device-claimed-twice" in codes


def test_a_rate_that_is_no_whole_kbit_is_rounded_down_and_said_so():
    text = 'link wan { device "eth1"; framing raw; egress { bandwidth 1999999bit } }'
    sections, _, codes = lowered(text)
    assert sections["wan"]["upload"] == "1999"
    assert codes == ["sqm-rate-rounded"]


def test_a_moving_rate_says_that_a_daemon_is_needed():
    text = 'link w { device "e"; framing raw; egress { bandwidth 5mbit within 2mbit..9mbit } }'
    assert "sqm-daemon-rate" in lowered(text)[2]


MARKED = """
link {name} {{
    device "{device}"
    framing ethernet
    {mark}
    egress {{ bandwidth 9mbit; tiers diffserv4 }}
    ingress {{ bandwidth 90mbit; tiers diffserv4 }}
}}
"""
TIER = "tier voice { match udp remote port 5060 }\n"
OTHER_BITS = "connection-mark dscp 0x3f00 valid 0x4000"


def test_links_with_other_bits_of_the_mark_have_a_script_of_their_own():
    """The action takes both masks as numbers: 0x3f00 is 16128, 0x4000 is 16384."""
    links = MARKED.format(name="wan", device="eth1", mark="")
    links += MARKED.format(name="lte", device="wwan0", mark=OTHER_BITS)
    files, _ = written(links + TIER, "openwrt")
    scripts = {one["script"] for one in sections_of(files["etc/config/sqm"]).values()}
    assert scripts == {"tcc_cake.qos", "tcc_cake_3f00_4000.qos"}
    for name, masks in (("tcc_cake.qos", "63 128"), ("tcc_cake_3f00_4000.qos", "16128 16384")):
        assert f"action ctinfo dscp {masks} continue" in files[f"usr/lib/sqm/{name}"]


def test_qosmate_has_bits_of_its_own_choice():
    text = MARKED.format(name="wan", device="eth1", mark=OTHER_BITS) + TIER
    assert written(text, "openwrt", daemon="qosmate")[1] == ["sqm-cannot"]
    assert written(text.replace(OTHER_BITS, ""), "openwrt", daemon="qosmate")[1] == []


def test_the_batch_sets_what_the_file_says_and_nothing_else():
    sections, batch, _ = lowered(both().replace("link wan ", "link my-wan "))
    said: dict[str, dict[str, str]] = {}
    lines = batch.splitlines()
    assert lines[0] == "delete sqm.my_wan"
    assert lines[-1] == "commit sqm"
    for line in lines[1:-1]:
        word, assignment = shlex.split(line)
        place, value = assignment.split("=", 1)
        assert word == "set"
        _, section, *option = place.split(".")
        if option:
            said[section][option[0]] = value
        else:
            assert value == "queue"
            said[section] = {}
    assert said == sections


@given(st.text(st.characters(codec="ascii", exclude_categories=("Cc",)), max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_value_reads_back_from_the_shell_quoting(value: str):
    assert shlex.split(quoted(value)) == [value]


@given(st.from_regex(r"[a-z][a-z0-9_-]{0,14}", fullmatch=True))
def test_section_names_are_uci_identifiers(name: str):
    assert section_name(name).replace("_", "a").isalnum()


def test_golden_files_hold_no_time_and_no_place():
    golden = Path(__file__).parent.parent / "golden"
    for file in golden.glob("*/openwrt.out"):
        assert (
            "202"
            not in "".join(line for line in file.read_text().splitlines() if line.startswith("#"))
            .replace("SHA-256", "")
            .split("from")[0]
        )
