"""What commonly goes wrong on a host that shapes, each with the command that cures it."""

from tcc.doctor.finding import Finding, State

__all__ = ["Finding", "State"]
