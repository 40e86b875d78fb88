"""The hooks that docs/watch.md shows, run by sh as their daemons run them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

TEXT = (Path(__file__).parents[2] / "docs/watch.md").read_text()
CALLED = "watch --once /etc/tcc/home.tcc\n"


def script(path):
    """The script that the page shows for `path`: the indented lines after it."""
    lines = TEXT.partition(path)[2].partition("\n\n")[2].splitlines()
    shown = [line for line in lines[: lines.index("")] if line.startswith("    ")]
    assert shown[0].strip() == "#!/bin/sh"
    return "\n".join(line[4:] for line in shown) + "\n"


@pytest.mark.parametrize(
    ("path", "arguments", "called"),
    [
        # NetworkManager-dispatcher(8): the device, and what has happened to it
        ("/etc/NetworkManager/dispatcher.d/50-tcc", ["wan0", "up"], True),
        ("/etc/NetworkManager/dispatcher.d/50-tcc", ["wg0", "vpn-up"], True),
        ("/etc/NetworkManager/dispatcher.d/50-tcc", ["wan0", "down"], False),
        ("/etc/networkd-dispatcher/configured.d/50-tcc", [], True),
        # pppd(8), ip-up: the device, the tty, its speed, both addresses, ipparam
        ("/etc/ppp/ip-up.d/50-tcc", ["ppp0", "", "0", "203.0.113.9", "203.0.113.1", "x"], True),
        ("/etc/ppp/ip-up.d/50-tcc", ["ppp1", "", "0", "203.0.113.9", "203.0.113.1", "x"], False),
    ],
)
def test_a_hook_looks_once_when_its_device_comes(tmp_path, path, arguments, called):
    said = tmp_path / "said"
    (tmp_path / "tcc").write_text(f'#!/bin/sh\necho "$@" >>{said}\n')
    (tmp_path / "tcc").chmod(0o755)
    environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    hook = tmp_path / "50-tcc"
    hook.write_text(script(path))
    subprocess.run(["sh", str(hook), *arguments], check=True, env=environment)
    assert (said.read_text() if said.exists() else "") == (CALLED if called else "")


def test_ifupdown_has_it_as_a_command_of_the_stanza():
    stanza = re.search(r"    iface wan inet dhcp\n        post-up tcc (.*\n)", TEXT)
    assert stanza
    assert stanza[1] == CALLED
