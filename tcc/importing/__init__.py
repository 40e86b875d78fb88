"""From what shapes today to a policy: read a source, say what is odd about it, write the text."""

from tcc.importing.found import Imported, Kind, Remark
from tcc.importing.kinds import KINDS, SourceError, guess, read
from tcc.importing.policy import Result, policy_of

__all__ = [
    "KINDS",
    "Imported",
    "Kind",
    "Remark",
    "Result",
    "SourceError",
    "guess",
    "policy_of",
    "read",
]
