"""What is known about a host."""

from tcc.facts.model import DeviceFacts, Facts, FlowtableFacts, MarkUse, QdiscFacts

__all__ = ["DeviceFacts", "Facts", "FlowtableFacts", "MarkUse", "QdiscFacts"]
