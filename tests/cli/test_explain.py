"""`tcc explain`: pages, presets and words. Numbers are those of tc-cake(8) and the RFCs."""

import pytest

from tcc import language
from tcc.cli.explain import known_words
from tcc.pages import codes


def test_the_page_of_a_finding(tcc):
    code, out, _ = tcc("explain", "missing-unit")
    assert code == 0
    assert out.startswith("# missing-unit: a quantity has no unit\n")
    assert "## Instead\nWrite `18mbit`." in out


@pytest.mark.parametrize("word", sorted({*codes(), *known_words()}))
def test_everything_that_is_known_can_be_explained(tcc, word):
    code, out, err = tcc("explain", word)
    assert (code, err) == (0, "")
    assert out.startswith(f"# {word}: ")


def test_all_framing_presets_with_their_numbers(tcc):
    out = tcc("explain", "framing").out
    assert "pppoe-ptm              30 B       0 B  ptm" in out
    assert "ethernet               38 B      84 B  none" in out
    for preset in language.FRAMINGS:
        assert f"\n{preset} " in out


def test_a_framing_preset(tcc):
    out = tcc("explain", "docsis").out
    assert "18 bytes; at least 64 bytes." in out
    assert "53" in tcc("explain", "pppoa-llc").out


def test_a_round_trip_preset(tcc):
    assert "interval is 30ms and its target 1.5ms" in tcc("explain", "regional").out


def test_a_set_of_tins(tcc):
    out = tcc("explain", "diffserv3").out
    assert "Bulk         le, cs1\n" in out
    assert "Best Effort  all others\n" in out
    assert "Voice        4, va, ef, cs6, cs7\n" in out


def test_a_dscp(tcc):
    out = tcc("explain", "ef").out
    assert "DSCP 46, 0x2e, 101110 (TOS byte 0xb8)" in out
    assert "diffserv4    Voice" in out
    assert "precedence   Tin 5" in out
    assert "af41, af42, af43" in tcc("explain", "af4x").out


def test_a_clause_in_each_of_its_meanings(tcc):
    out = tcc("explain", "dscp").out
    assert "dscp keep|wash" in out
    assert "match dscp ef, cs5" in out


def test_a_metric_and_a_qdisc(tcc):
    assert "Jain's index" in tcc("explain", "fairness").out
    assert "latency" in tcc("explain", "tbf").out


def test_what_is_not_known(tcc):
    code, out, err = tcc("explain", "bandwith")
    assert (code, out) == (2, "")
    assert err == "Error: nothing is known of `bandwith`; did you mean `bandwidth`?\n"
