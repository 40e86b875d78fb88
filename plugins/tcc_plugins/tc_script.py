"""The `tc-script` back end: a POSIX shell script of tc(8), ip(8) and nft(8) commands.

For machines that have no Python, and for people who want to see what would be done. The script
may run again and then leaves the same; for a moment a device then has the kernel's own qdisc.
`tcc apply` has no such gap.
"""

from collections.abc import Sequence

from tcc.diagnostics import Diagnostic
from tcc.express import (
    Request,
    Written,
    autorate,
    expressed,
    header,
    lowered_files,
    text_differences,
)
from tcc.express.commands import script
from tcc.ir import Policy
from tcc.plan.state import FileItem, Item, State
from tcc.plugin import Difference, Expressed, Target

FILE = "tc.sh"
AUTORATE = "cake-autorate"
"""The folder of its configurations, for rates with bounds; `tcc apply` names devices alike."""
EXECUTABLE = 0o755
AGAIN = "# It may run again. While it runs, a device has the kernel's own qdisc for a moment.\n"


class TcScript:
    """Shell commands for what the netlink back end would send."""

    name = "tc-script"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return one script, and what cannot be had.

        Found: those of `lower_for_kernel`.
        """
        return lowered_files(_write, policy, target)

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause: all that a kernel can do, tc has words for."""
        return expressed(_write, policy, target)

    def observe(self, wanted: State) -> State:
        """Return nothing: where a script will run is not known here."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return text_differences(wanted, observed)


def _write(request: Request) -> Written:
    text = script(request.wanted.state, request.wanted.lowered, header(request) + AGAIN)
    devices = request.by_device()
    daemon = autorate.configurations(devices, header(request))
    files = {f"{AUTORATE}/{name}": FileItem(text) for name, text in daemon.items()}
    return Written({FILE: FileItem(text, EXECUTABLE), **files}, list(autorate.losses(devices)))
