"""What other systems are told, in their own units.

Expected settings come from each system's own manual or source: systemd.network(5), the executor
scripts of ifupdown-ng, libnm's tc attributes, cake.py of vyos-1x 1.4, MikroTik's page on CAKE.
"""

import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest

from tcc import api, plugin
from tcc.source import Source
from tests.backends.files import table, written

WAN = """
link wan {{
    device "eth1"
    framing {{ overhead 44B; mpu 84B }}
    role router
    egress {{ bandwidth 10mbit; tiers {tiers}; fairness per-host; {more} }}
}}
"""
BUCKET = 'link wan {{ device "eth1"; egress {{ bandwidth 10mbit; qdisc tbf {{ {options} }} }} }}'


def wan(tiers: str = "diffserv4", more: str = "ack-filter on") -> str:
    return WAN.format(tiers=tiers, more=more)


def section(text: str, name: str) -> dict[str, str]:
    parser = RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment]
    parser.read_string(text)
    return dict(parser[name])


def test_networkd_counts_in_plain_numbers():
    """systemd.network(5): Bandwidth= to the base of 1000, sizes of tbf to that of 1024."""
    files, found = written(wan(), "networkd")
    assert found == []
    cake = section(files["etc/systemd/network/50-tcc-eth1.network"], "CAKE")
    assert cake == {
        "Parent": "root", "Handle": "1", "Bandwidth": "10000000", "AutoRateIngress": "no",
        "OverheadBytes": "44", "MPUBytes": "84", "CompensationMode": "none",
        "FlowIsolationMode": "dual-src-host", "NAT": "yes", "PriorityQueueingPreset": "diffserv4",
        "Wash": "no", "SplitGSO": "yes", "AckFilter": "yes",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("version", "refused"),
    [
        ("258", set()),
        ("253", set()),
        ("252", {"ack-filter on"}),
        ("249", {"ack-filter on", "tiers diffserv4", "fairness per-host", "role router",
                 "framing { overhead 44 mpu 84 noatm }"}),
    ],
)  # fmt: skip
def test_networkd_learned_its_settings_in_246_250_and_253(version: str, refused: set[str]):
    said = table(wan(), "networkd", version=version)
    assert {clause for (_, clause), verdict in said.items() if verdict == "refused"} == refused


def test_networkd_leaves_the_target_where_it_is():
    """Its netlink message has TCA_CAKE_RTT and no TCA_CAKE_TARGET."""
    assert table(wan(more="rtt 50ms"), "networkd")["wan egress", "rtt 50ms"] == "approximated"
    assert table(wan(more="rtt 100ms"), "networkd")["wan egress", "rtt 100ms"] == "exact"


def test_networkd_does_ingress_by_a_unit_that_systemd_takes(tmp_path: Path):
    text = 'link wan { device "pppoe-wan"; framing raw; ingress { bandwidth 9mbit } }'
    files, found = written(text, "networkd")
    assert found == []
    unit = files["etc/systemd/system/tcc-pppoe-wan.service"]
    helper = tmp_path / "pppoe-wan.sh"
    helper.write_text(files["usr/local/lib/tcc/pppoe-wan.sh"])
    helper.chmod(0o755)
    here = tmp_path / "tcc-pppoe-wan.service"
    here.write_text(unit.replace("/usr/local/lib/tcc/pppoe-wan.sh", str(helper)))
    command = ["systemd-analyze", "verify", "--man=no", str(here)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "BindsTo=sys-subsystem-net-devices-pppoe\\x2dwan.device" in unit
    subprocess.run(["busybox", "ash", "-n", str(helper)], check=True)


def test_networkd_adds_to_a_file_that_is_there():
    files, _ = written(wan(), "networkd", network="10-netplan-eth1")
    text = files["etc/systemd/network/10-netplan-eth1.network.d/50-tcc.conf"]
    assert "[Match]" not in text


def test_networkd_token_bucket():
    options = "burst 16KiB; latency 50ms; inner bfifo"
    files, found = written(BUCKET.format(options=options), "networkd")
    assert found == []
    bucket = section(files["etc/systemd/network/50-tcc-eth1.network"], "TokenBucketFilter")
    assert (bucket["Rate"], bucket["BurstBytes"]) == ("10000000", "16384")
    assert bucket["LimitBytes"] == str(1_250_000 * 50 // 1000 + 16384)


def test_networkd_makes_nothing_inside_of_a_bucket():
    """systemd issue 29485: the section is read, and only tbf appears."""
    said = table(BUCKET.format(options="burst 16KiB; latency 50ms; inner fq_codel"), "networkd")
    assert said["wan egress", "inner fq_codel"] == "refused"


def test_networkmanager_takes_a_bucket_in_bytes_per_second_and_us():
    """NetworkManager 1.42.4 keeps all of it: `nmcli --offline connection modify` printed
    `qdisc.root=handle 1: tbf burst 16384 latency 50000 rate 1250000` for the profile with this."""
    options = "burst 16KiB; latency 50ms; inner bfifo"
    files, found = written(BUCKET.format(options=options), "networkmanager")
    assert found == []
    assert section(files["tcc-eth1.keyfile"], "tc") == {
        "qdisc.root": "handle 1: tbf rate 1250000 burst 16384 latency 50000"
    }
    assert list(files) == ["tcc-eth1.keyfile"]


def test_networkmanager_leaves_cake_to_its_dispatcher():
    files, found = written(wan(), "networkmanager")
    assert found == []
    [script] = files.values()
    assert '[ "$1" = eth1 ] || exit 0' in script
    assert "cake bandwidth 10000000bit diffserv4 dual-srchost nat" in script


def test_ifupdown_ng_never_says_no():
    """`cake-nat no`, `cake-wash no` and `cake-ingress no` would switch them on there."""
    text = wan() + 'link two { device "eth2"; framing raw; ingress { bandwidth 9mbit } }'
    files, found = written(text, "ifupdown-ng")
    assert found == []
    [stanzas] = files.values()
    words = [line.split()[0] for line in stanzas.splitlines() if line.startswith("    ")]
    assert set(words) == {"use", "cake-args", "cake-ingress-dev"}
    assert "    cake-ingress-dev eth2\n" in stanzas
    assert "iface ifb-eth2\n" in stanzas


def test_ifupdown_has_a_script_that_run_parts_runs():
    """run-parts(8) passes over names with a dot."""
    text = 'link wan { device "eth0.7"; framing raw; egress { bandwidth 9mbit } }'
    files, _ = written(text, "ifupdown")
    assert list(files) == ["etc/network/if-up.d/tcc-eth0_7"]
    assert '[ "$IFACE" = eth0.7 ] || exit 0' in files["etc/network/if-up.d/tcc-eth0_7"]


PLAIN = 'link wan {{ device "eth1"; role router; egress {{ bandwidth 10mbit; {more} }} }}'


def test_vyos_has_a_suffix_at_every_rate():
    """A bare number is kilobits there (T7514)."""
    files, found = written(PLAIN.format(more="fairness per-host; rtt 50ms"), "vyos")
    assert found == []
    lines = files["tcc.vyos"].splitlines()
    assert "set qos policy cake TCC-0-EGRESS bandwidth '10mbit'" in lines
    assert "set qos policy cake TCC-0-EGRESS rtt '50'" in lines
    assert "set qos policy cake TCC-0-EGRESS flow-isolation 'dual-src-host'" in lines
    assert "set qos policy cake TCC-0-EGRESS flow-isolation-nat" in lines
    assert "set qos interface eth1 egress 'TCC-0-EGRESS'" in lines
    assert lines[-1] == "commit-confirm 5"


def test_vyos_1_4_has_no_ack_filter_and_one_word_of_isolation():
    text = PLAIN.format(more="ack-filter on; fairness per-host")
    said = table(text, "vyos", version="1.4")
    assert said["wan egress", "ack-filter on"] == "refused"
    assert said["wan egress", "role router"] == "refused"
    assert table(text, "vyos", version="1.5")["wan egress", "ack-filter on"] == "exact"


def test_routeros_quotes_and_counts_in_bits():
    text = 'link w { device "ether$1"; framing pppoe-ptm; egress { bandwidth 10mbit } }'
    files, found = written(text, "routeros")
    assert found == []
    assert "cake-bandwidth=10000000" in files["tcc.rsc"]
    assert 'interface="ether\\$1"' in files["tcc.rsc"]
    assert "cake-atm=ptm" in files["tcc.rsc"]


@pytest.mark.parametrize(
    ("backend", "knob"),
    [("networkd", "245"), ("networkd", "new"), ("vyos", "1.3")],
)
def test_an_unknown_version_is_refused(backend: str, knob: str):
    files, found = written(wan(), backend, version=knob)
    assert found == ["system-unknown"]
    assert files == {}


CAKE_ONLY = {"ifupdown-ng": "cake_mq", "networkd": "cake_mq", "vyos": "cake_mq"}


@pytest.mark.parametrize("backend", sorted(CAKE_ONLY))
def test_a_kind_that_a_system_does_not_have(backend: str):
    text = 'link wan { device "eth1"; framing raw; egress { bandwidth 2gbit; qdisc cake_mq } }'
    assert "system-cannot" in written(text, backend)[1]
    assert table(text, backend)["wan egress", "qdisc cake_mq"] == "refused"


@pytest.mark.parametrize("backend", sorted(plugin.names(plugin.BACKENDS)))
def test_every_refusal_of_a_table_is_an_error_and_the_other_way_round(backend: str):
    text = Path("docs/examples/home.tcc").read_text()
    built = api.load(Source("home.tcc", text))
    _, found = api.lower(built, backend)
    refused = [row for row in api.express(built, backend) if row.verdict == "refused"]
    assert bool(refused) is any(str(item.severity) == "error" for item in found)


def test_prefer_turns_a_refusal_into_a_warning():
    text = 'link wan { device "eth1"; egress { bandwidth 9mbit; prefer tiers diffserv4 } }'
    files, found = written(text, "vyos")
    assert found == ["system-cannot"]
    assert files


@pytest.mark.parametrize("system", ["networkd", "vyos", "ifupdown-ng"])
@pytest.mark.parametrize(
    "device", ["*", "eth[01]", "!eth0", "a$(id)", "a;b", "a'b", "a\\b", "größe"]
)
def test_a_name_that_a_system_would_take_for_something_else_is_refused(system: str, device: str):
    """systemd.network(5): Name= is a list of globs; VyOS reads commands with a shell."""
    quoted = device.replace("\\", "\\\\")
    both = "egress { bandwidth 5mbit; qdisc cake }; ingress { bandwidth 5mbit; qdisc cake }"
    files, found = written(f'link wan {{ device "{quoted}"; {both} }}', system)
    assert not [text for text in files.values() if device in text]
    assert "system-cannot" in found
