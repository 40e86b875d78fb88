"""What back ends that only write files have in common: a request, the files, the losses."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from tcc import __version__
from tcc.diagnostics import Diagnostic, has_errors
from tcc.express.losses import Loss, finding
from tcc.express.table import table
from tcc.ir import Policy, document
from tcc.lower import LoweredQdisc
from tcc.lower.kernel import Wanted, lower_for_kernel
from tcc.plan.state import FileItem, Item, Place, State
from tcc.plugin import Difference, Expressed, Target


@dataclass(frozen=True, slots=True)
class Request:
    """A policy that was lowered for a kernel, to be written for a system."""

    policy: Policy
    target: Target
    wanted: Wanted

    @property
    def lowered(self) -> Sequence[LoweredQdisc]:
        """The qdiscs that could be lowered."""
        return [one for one in self.wanted.lowered if one.settings is not None]

    def by_device(self) -> dict[str, dict[str, LoweredQdisc]]:
        """Return the qdiscs of each device by direction."""
        found: dict[str, dict[str, LoweredQdisc]] = {}
        for one in self.lowered:
            found.setdefault(one.wish.device.name, {})[one.wish.direction] = one
        return found

    def option(self, name: str, default: str) -> str:
        """Return one of the back end's own knobs."""
        return self.target.settings.get(name, default)


@dataclass(frozen=True, slots=True)
class Written:
    """Files by path, what is lost, and what else is to say."""

    files: Mapping[str, FileItem] = field(default_factory=dict)
    losses: Sequence[Loss] = ()
    found: Sequence[Diagnostic] = ()


Write = Callable[[Request], Written]


def lowered_files(
    write: Write, policy: Policy, target: Target
) -> tuple[State, Sequence[Diagnostic]]:
    """Return a back end's files, and what the system cannot express.

    Found: those of `finding`, what `write` finds, and those of `lower_for_kernel`.
    """
    wanted = lower_for_kernel(policy, target.facts, target.spans)
    if has_errors(wanted.found):
        return {}, wanted.found
    made = write(Request(policy, target, wanted))
    told = dict.fromkeys(finding(loss) for loss in made.losses)
    found = [*wanted.found, *made.found, *told]
    return {Place("", path): item for path, item in made.files.items()}, found


def expressed(write: Write, policy: Policy, target: Target) -> Sequence[Expressed]:
    """Return the table of clauses for a back end that writes files."""
    wanted = lower_for_kernel(policy, target.facts, target.spans)
    made = write(Request(policy, target, wanted))
    return table(wanted.lowered, made.losses, [*wanted.found, *made.found])


def text_differences(wanted: Item, observed: Item) -> Sequence[Difference]:
    """Compare texts."""
    return () if wanted == observed else (Difference("text", "this one", "another one"),)


class FileBackend:
    """A back end that writes files for a machine that is somewhere else.

    Args:
        name: what it is called on the command line.
        write: what makes the files of a request.
    """

    def __init__(self, name: str, write: Write) -> None:
        self.name = name
        self._write = write

    def lower(self, policy: Policy, target: Target) -> tuple[State, Sequence[Diagnostic]]:
        """Return the files, and what cannot be had; found: those of `lowered_files`."""
        return lowered_files(self._write, policy, target)

    def express(self, policy: Policy, target: Target) -> Sequence[Expressed]:
        """Return what becomes of each clause."""
        return expressed(self._write, policy, target)

    def observe(self, wanted: State) -> State:
        """Return nothing: the machine is somewhere else."""
        return {}

    def differences(self, wanted: Item, observed: Item) -> Sequence[Difference]:
        """Compare texts."""
        return text_differences(wanted, observed)


def header(request: Request, comment: str = "#") -> str:
    """Return the line that says what a file was written from; no time, no place."""
    policy = request.policy
    digest = request.target.settings.get("policy-sha256")
    digest = digest or sha256(document.text(policy).encode()).hexdigest()
    return f"{comment} Written by tcc {__version__} from a policy with the SHA-256 {digest}.\n"


def quoted(*words: str) -> str:
    """Return words as a shell reads them back."""
    return " ".join(shlex.quote(word) for word in words)
