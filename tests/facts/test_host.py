"""Offloads, users of marks, a router's own files: from a kernel, and as others write them."""

from pathlib import Path

import pytest

from tcc.facts.gather import gather
from tcc.facts.openwrt import accelerators, packages, qosmate_device, release
from tcc.facts.owners import owner
from tcc.netlink.namespace import Namespace


@pytest.mark.kernel
def test_offloads_are_what_the_driver_says(netns):
    """veth: segmentation is on when it is made, GRO is not (drivers/net/veth.c)."""
    here, there = netns.new(), netns.new()
    netns.link((here, "a0"), (there, "b0"))
    facts = gather(Namespace.named(here.name)).facts
    device = facts.device("a0")
    assert {"tso", "gso"} <= set(device.offloads)
    assert "hw-tc-offload" not in device.offloads
    assert "gro" in facts.device("lo").offloads


def write(root: Path, path: str, text: str) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_router_tells_its_release_and_packages(tmp_path):
    write(tmp_path, "etc/openwrt_release", "DISTRIB_ID='OpenWrt'\nDISTRIB_RELEASE='24.10.2'\n")
    status = "Package: sqm-scripts\nVersion: 1.6.0-r1\nDepends: tc\n\nPackage: vim\nVersion: 9\n"
    write(tmp_path, "usr/lib/opkg/status", status)
    write(tmp_path, "lib/apk/db/installed", "C:Q1\nP:kmod-ifb\nV:6.6.86-r1\n\nP:x\nV:2\n")
    assert release(tmp_path) == "24.10.2"
    assert packages(tmp_path) == {"sqm-scripts": "1.6.0-r1", "kmod-ifb": "6.6.86-r1"}
    assert (release(tmp_path / "none"), packages(tmp_path / "none")) == (None, {})


def test_modules_that_forward_by_themselves_are_seen(tmp_path):
    (tmp_path / "sys/module/qca_nss_ecm").mkdir(parents=True)
    assert accelerators(tmp_path) == ("qca_nss_ecm",)


@pytest.mark.parametrize(("enabled", "device"), [("1", "eth1"), ("0", None)])
def test_qosmate_owns_its_device_while_it_is_enabled(tmp_path, enabled, device):
    text = f"config global 'global'\n\toption enabled '{enabled}'\n\nconfig settings 'settings'\n"
    write(tmp_path, "etc/config/qosmate", text + "\toption WAN 'eth1'\n\toption DOWNRATE '9'\n")
    assert qosmate_device(tmp_path) == device
    assert owner(7, "eth1", tmp_path) == ("qosmate" if device else None)
    assert owner(7, "eth0", tmp_path) is None
