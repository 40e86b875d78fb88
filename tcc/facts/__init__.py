"""What is known about a host."""

from tcc.facts.model import DeviceFacts, Facts, QdiscFacts

__all__ = ["DeviceFacts", "Facts", "QdiscFacts"]
