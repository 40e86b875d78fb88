"""The `ifupdown` back end: Debian's interfaces(5), by a script of its own in if-up.d.

Every interface that comes up runs the scripts of `/etc/network/if-up.d` with its name in IFACE,
whatever its stanza says, so no file of the user is touched. The script runs tc's own commands.
"""

from collections.abc import Sequence

from tcc.diagnostics import Diagnostic
from tcc.express import (
    Request,
    Written,
    expressed,
    header,
    lowered_files,
    quoted,
    text_differences,
)
from tcc.express.commands import script
from tcc.ir import Policy
from tcc.lower.ifb import ifb_name
from tcc.plan.state import FileItem, Item, State
from tcc.plugin import Difference, Expressed, Target

HOOKS = "etc/network/if-up.d"
EXECUTABLE = 0o755


class Ifupdown:
    """What Debian's ifupdown should run."""

    name = "ifupdown"

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return a script for each device; found: those of `lowered_files`."""
        return lowered_files(_write, policy, target)

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause: all that a kernel can do, tc has words for."""
        return expressed(_write, policy, target)

    def observe(self, wanted: State) -> State:
        """Return nothing: the host is somewhere else."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return text_differences(wanted, observed)


def _write(request: Request) -> Written:
    files: dict[str, FileItem] = {}
    for device, ends in request.by_device().items():
        places = {device, ifb_name(device)}
        state = {
            place: item for place, item in request.wanted.state.items() if place.device in places
        }
        head = f'{header(request)}[ "$IFACE" = {quoted(device)} ] || exit 0\n'
        text = script(state, list(ends.values()), head)
        files[f"{HOOKS}/tcc-{_plain(device)}"] = FileItem(text, EXECUTABLE)
    return Written(files)


def _plain(device: str) -> str:
    """Return a name that run-parts(8) runs: it passes over files with a dot."""
    return "".join(letter if letter.isalnum() or letter in "_-" else "_" for letter in device)
