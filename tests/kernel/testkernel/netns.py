"""Network namespaces on this machine's own kernel, made for one test and removed after it."""

import itertools
import json
import secrets
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from testkernel.host import output, require, require_root

PROGRAMS = {"ip": "iproute2", "tc": "iproute2"}


@dataclass(frozen=True)
class Namespace:
    """A network namespace that the test itself made; its loopback is up."""

    name: str

    def run(self, *command: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program inside; with its output as text.

        Raises:
            subprocess.CalledProcessError: it failed, unless `check` is off; stderr is in a note.
        """
        done = subprocess.run(
            ["ip", "netns", "exec", self.name, *command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if check and done.returncode:
            problem = subprocess.CalledProcessError(
                done.returncode, command, done.stdout, done.stderr
            )
            problem.add_note(done.stderr)
            raise problem
        return done

    def json(self, *command: str) -> Any:
        """Run a program inside and decode what it prints (`ip -j ...`, `tc -j ...`)."""
        return json.loads(self.run(*command).stdout or "[]")


@dataclass
class Namespaces:
    """Makes namespaces with names nobody else uses, and remembers them."""

    made: list[Namespace] = field(default_factory=list)
    _prefix: str = field(default_factory=lambda: f"tcc-{secrets.token_hex(4)}")
    _count: Iterator[int] = field(default_factory=itertools.count)

    def new(self) -> Namespace:
        """Make a namespace."""
        namespace = Namespace(f"{self._prefix}-{next(self._count)}")
        output("ip", "netns", "add", namespace.name)
        self.made.append(namespace)
        namespace.run("ip", "link", "set", "lo", "up")
        return namespace

    def link(self, left: tuple[Namespace, str], right: tuple[Namespace, str]) -> None:
        """Join two namespaces by a veth pair; each end's device is up and has no address."""
        (here, device), (there, other) = left, right
        peer = ["peer", "name", other, "netns", there.name]
        here.run("ip", "link", "add", device, "type", "veth", *peer)
        here.run("ip", "link", "set", device, "up")
        there.run("ip", "link", "set", other, "up")

    def remove(self) -> None:
        """Remove exactly the namespaces made here, and so their devices."""
        while self.made:
            output("ip", "netns", "delete", self.made.pop().name)


@contextmanager
def namespaces() -> Iterator[Namespaces]:
    """Hand out namespaces, and remove them at the end.

    Raises:
        UnavailableError: not root, no iproute2, or a kernel without namespaces.
    """
    require_root()
    require(PROGRAMS)
    mine = Namespaces()
    try:
        yield mine
    finally:
        mine.remove()
