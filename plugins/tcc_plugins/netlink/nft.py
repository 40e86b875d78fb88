"""nftables, by nft(8): one transaction for each change of a table, in the right namespace."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from tcc.netlink.namespace import Namespace

MISSING: Final = "nft is not installed"
_NO_TABLE: Final = "No such file or directory"


class Nft:
    """Runs nft in one namespace; a context of its own, to be closed.

    A namespace is entered by a thread that stays there, because entering takes a privilege
    (CAP_SYS_ADMIN) that is put aside before anything is changed. What nft does takes
    CAP_NET_ADMIN alone.

    Raises:
        OSError: the namespace cannot be entered.
    """

    def __init__(self, namespace: Namespace | None) -> None:
        self._inside: ThreadPoolExecutor | None = None
        if namespace is not None:
            self._inside = ThreadPoolExecutor(1, "nft")
            self._inside.submit(namespace.enter).result()

    def close(self) -> None:
        """End the thread."""
        if self._inside is not None:
            self._inside.shutdown()

    def table(self, name: str) -> str | None:
        """Return a table of the family inet as nft prints it; None where there is none.

        Raises:
            OSError: nft cannot list; one that is not installed lists nothing.
        """
        status, out, err = self._run(["nft", "-s", "list", "table", "inet", name], "")
        if status == 0:
            return out
        if _NO_TABLE in err or err == MISSING:
            return None
        raise OSError(f"nft cannot list the table {name}: {err}")

    def load(self, text: str) -> str:
        """Carry out what nft(8) reads from a file, all or nothing; return its complaint."""
        status, _, err = self._run(["nft", "-f", "-"], text)
        return "" if status == 0 else err or f"nft ended with {status}"

    def _run(self, command: list[str], text: str) -> tuple[int, str, str]:
        if self._inside is None:
            return _run(command, text)
        return self._inside.submit(_run, command, text).result()


def _run(command: list[str], text: str) -> tuple[int, str, str]:
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return 127, "", MISSING
    return done.returncode, done.stdout, " ".join(done.stderr.split())
