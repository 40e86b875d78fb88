"""Which text of a policy was confirmed last, across reboots.

A policy's file may hold what was only tried: applied with `--confirm` and never confirmed, or
rolled back. What applies by itself (`tcc watch`, and so a boot) must not bring that back. So
there is one small document for each policy: the text that was confirmed, and digests of texts
that were tried or taken back. It is written before a trial changes anything.
"""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from tcc.apply import stored
from tcc.apply.stored import DamagedError

MOST_REJECTED: Final = 20
_KIND = "kept-1"


@dataclass(frozen=True, slots=True)
class Kept:
    """What is known of one policy: the text that was confirmed, and those that are not to come."""

    confirmed: str | None = None
    rejected: tuple[str, ...] = ()
    """Digests, oldest first."""

    def reject(self, text: str, confirmed: str | None) -> "Kept":
        """Return what is known once `text` is only tried, or was taken back."""
        digest = digest_of(text)
        rest = [one for one in self.rejected if one != digest]
        return Kept(confirmed, (*rest, digest)[-MOST_REJECTED:])

    def choose(self, text: str) -> str | None:
        """Return what to apply by itself where a policy's file says `text`; None: nothing."""
        return self.confirmed if digest_of(text) in self.rejected else text


def digest_of(text: str) -> str:
    """Return the digest by which a policy's text is known again."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def path_of(root: Path, key: str) -> Path:
    """Return where the document of the policy `key` is."""
    return root / "kept" / digest_of(key)[:32]


def read(root: Path, key: str) -> Kept:
    """Return what is known of the policy `key`; of a damaged document nothing is believed.

    Raises:
        OSError: it cannot be read.
    """
    try:
        data = stored.read(path_of(root, key), _KIND)
    except DamagedError:
        return Kept()
    if not isinstance(data, dict) or data.get("key") != key:
        return Kept()
    return Kept(data["confirmed"], tuple(data["rejected"]))


def write(root: Path, key: str, kept: Kept) -> None:
    """Write down what is known of the policy `key`, unless that is there already.

    Raises:
        OSError: it could not be written; what was there before still is.
    """
    path = path_of(root, key)
    if path.exists() and read(root, key) == kept:
        return
    path.parent.mkdir(mode=0o700, exist_ok=True)
    data = {"key": key, "confirmed": kept.confirmed, "rejected": list(kept.rejected)}
    stored.write(path, _KIND, data)
