"""The `ifupdown` back end: Debian's interfaces(5), by a script of its own in if-up.d.

Every interface that comes up runs the scripts of `/etc/network/if-up.d` with its name in IFACE,
whatever its stanza says, so no file of the user is touched. The script runs tc's own commands.
"""

from functools import partial

from tcc.express import (
    FileBackend,
    Request,
    Written,
    header,
    quoted,
)
from tcc.express.commands import script
from tcc.lower.ifb import ifb_name
from tcc.plan.state import FileItem

HOOKS = "etc/network/if-up.d"
EXECUTABLE = 0o755


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


Ifupdown = partial(FileBackend, "ifupdown", _write)
"""What Debian's ifupdown should run."""
