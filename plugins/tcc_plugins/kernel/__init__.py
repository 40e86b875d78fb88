"""The `kernel` verifier: real senders through a real kernel's qdiscs."""

from tcc_plugins.kernel.verifier import Kernel

__all__ = ["Kernel"]
