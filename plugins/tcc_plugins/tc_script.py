"""The `tc-script` back end: a POSIX shell script of tc(8), ip(8) and nft(8) commands.

For machines that have no Python, and for people who want to see what would be done. The script
may run again and then leaves the same; for a moment a device then has the kernel's own qdisc.
`tcc apply` has no such gap.
"""

from functools import partial

from tcc.express import (
    FileBackend,
    Request,
    Written,
    autorate,
    header,
)
from tcc.express.commands import script
from tcc.plan.state import FileItem

FILE = "tc.sh"
AUTORATE = "cake-autorate"
"""The folder of its configurations, for rates with bounds; `tcc apply` names devices alike."""
EXECUTABLE = 0o755
AGAIN = "# It may run again. While it runs, a device has the kernel's own qdisc for a moment.\n"


def _write(request: Request) -> Written:
    text = script(request.wanted.state, request.wanted.lowered, header(request) + AGAIN)
    devices = request.by_device()
    daemon = autorate.configurations(devices, header(request))
    files = {f"{AUTORATE}/{name}": FileItem(text) for name, text in daemon.items()}
    return Written(
        {FILE: FileItem(text, EXECUTABLE), **files}, list(autorate.losses(devices.values()))
    )


TcScript = partial(FileBackend, "tc-script", _write)
"""Shell commands for what the netlink back end would send."""
