"""Choose the machine that is to be had, and run a command in it."""

import io
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from testkernel import host, stock, tools, uml_kernel
from testkernel.guest import Job
from testkernel.kvm import PROGRAMS, Kvm
from testkernel.uml import Uml

NO_UML = "no User-Mode Linux: set TCC_UML_KERNEL to one, or build it with `make uml-kernel`"


class Machine(Protocol):
    """Something that boots, runs one job as root, and is gone."""

    name: str

    def run(self, job: Job, out: BinaryIO, err: BinaryIO) -> int:
        """Run the job; copy its output to `out` and `err`; return its exit status."""


@dataclass(frozen=True)
class Finished:
    """How a command in a guest ended."""

    machine: str  # uml or kvm
    status: int
    stdout: str
    stderr: str


def choose() -> Uml | Kvm:
    """Return the machine to use: User-Mode Linux, else a stock kernel under QEMU.

    Raises:
        UnavailableError: neither is to be had; says what is missing for each.
    """
    try:
        return uml_machine()
    except host.UnavailableError as no_uml:
        try:
            return stock_machine()
        except host.UnavailableError as no_stock:
            raise host.UnavailableError(f"{no_uml};\nno stock kernel: {no_stock}") from no_stock


def uml_machine() -> Uml:
    """Return a User-Mode Linux."""
    host.require_root()
    kernel = uml_kernel.find()
    if kernel is None:
        raise host.UnavailableError(NO_UML)
    with host.cache_lock():
        return Uml(kernel, tools.overlay())


def stock_machine() -> Kvm:
    """Return a virtual machine with a stock kernel; it is fetched on first use."""
    host.require_root()
    host.require(PROGRAMS)
    with host.cache_lock():
        return Kvm(stock.kernel(), tools.overlay())


def run(job: Job, machine: Machine | None = None) -> Finished:
    """Run a job in a fresh guest and return what it said.

    Raises:
        UnavailableError: no guest can be booted.
    """
    machine = machine or choose()
    out, err = io.BytesIO(), io.BytesIO()
    status = machine.run(job, out, err)
    texts = (sink.getvalue().decode(errors="replace") for sink in (out, err))
    return Finished(machine.name, status, *texts)
