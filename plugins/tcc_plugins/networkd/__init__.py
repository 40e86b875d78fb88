"""The `networkd` back end: systemd-networkd's files, and a unit for what they have no words for.

What leaves a device goes by the [CAKE] or [TokenBucketFilter] section. networkd has no filters
and CAKE's `ingress` is not among its words, so what comes in goes by a unit of ours that runs
tc's own commands when the device appears; so do the marks of tiers.

Source: systemd.network(5) and src/network/tc/ of systemd 246 to 258.
"""

from functools import partial

from tcc.diagnostics import error
from tcc.express import (
    FileBackend,
    Loss,
    Request,
    Written,
    header,
    is_cake,
    unnameable,
)
from tcc.express.commands import script
from tcc.lower import LoweredQdisc
from tcc.lower.ifb import ifb_name
from tcc.plan.state import FileItem, Place, is_tree
from tcc_plugins.networkd.cake import cake_section, losses_of_cake
from tcc_plugins.networkd.tbf import losses_of_tbf, tbf_sections
from tcc_plugins.networkd.versions import KNOWN, NEWEST

FOLDER, UNITS = "etc/systemd/network", "etc/systemd/system"
HELPERS = "usr/local/lib/tcc"
UNIT = """\
{head}[Unit]
Description=Shape what comes in on {device}
BindsTo={sys}
After={sys} systemd-networkd.service

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/{helper}

[Install]
WantedBy={sys}
"""


def _write(request: Request) -> Written:
    """Return the files; options: `version`, and `network`, the name of a file to add to."""
    asked = request.option("version", str(NEWEST))
    if asked not in map(str, KNOWN):
        known = f"{KNOWN.start}..{KNOWN[-1]}"
        return Written(
            found=[error("system-unknown", None, f"systemd {asked} is not known: {known}")]
        )
    version = int(asked)
    files: dict[str, FileItem] = {}
    losses: list[Loss] = []
    for device, ends in request.by_device().items():
        if lost := list(unnameable(ends, "networkd", device)):
            losses += lost
            continue
        if "egress" in ends:
            text, lost = _sections(ends["egress"], version)
            losses += lost
            path, head = _network_file(request, device)
            files[path] = FileItem(header(request) + head + text)
        files |= _helper(request, device)
    return Written(files, losses)


def _network_file(request: Request, device: str) -> tuple[str, str]:
    """Return the path of the file for a device, and how it begins.

    Of all files that match a device networkd takes the first alone, so a host that has one
    already wants ours added to it: `-O network=10-netplan-eth1`.
    """
    base = request.option("network", "")
    if base:
        return f"{FOLDER}/{base}.network.d/50-tcc.conf", "\n"
    note = "# networkd takes the first file that matches: add your [Network] here, or generate\n"
    note += "# with `-O network=NAME` to add to NAME.network.\n\n"
    return f"{FOLDER}/50-tcc-{device}.network", f"{note}[Match]\nName={device}\n\n"


def _sections(one: LoweredQdisc, version: int) -> tuple[str, list[Loss]]:
    if is_cake(one) and one.kind == "cake":
        return cake_section(one, version), list(losses_of_cake(one, version))
    if one.kind == "tbf":
        return tbf_sections(one), list(losses_of_tbf(one))
    return "", [
        Loss(
            one.wish, "qdisc", f"networkd has no section for a {one.kind}",
            ("write `qdisc cake`",),
        )
    ]  # fmt: skip


def _helper(request: Request, device: str) -> dict[str, FileItem]:
    """Return the unit and the script for what networkd has no words for."""
    state = {
        place: item for place, item in request.wanted.state.items() if _is_helpers(place, device)
    }
    if not state:
        return {}
    helper = f"{HELPERS}/{device}.sh"
    unit = f"{UNITS}/tcc-{device}.service"
    head = header(request)
    sys = f"sys-subsystem-net-devices-{_unit_name(device)}.device"
    return {
        unit: FileItem(UNIT.format(head=head, device=device, sys=sys, helper=helper)),
        helper: FileItem(script(state, (), head), 0o755),
    }


def _is_helpers(place: Place, device: str) -> bool:
    if place.device == ifb_name(device):
        return True
    return place.device == device and not is_tree(place)


def _unit_name(device: str) -> str:
    r"""Return a device's name as systemd.unit(5) escapes it in the name of a unit.

    >>> _unit_name("pppoe-wan")
    'pppoe\\x2dwan'
    """
    return "".join(
        letter
        if letter.isalnum() or letter == "_" or (letter == "." and index)
        else f"\\x{ord(letter):02x}"
        for index, letter in enumerate(device)
    )


Networkd = partial(FileBackend, "networkd", _write)
"""What systemd-networkd should be told."""
