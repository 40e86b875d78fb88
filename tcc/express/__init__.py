"""What a system can say of a policy, and what it cannot: losses, and the table of clauses.

A back end that writes files says for each clause what is lost of it. From that come the
findings of `tcc generate` and the table of `tcc generate --matrix`.
"""

from tcc.express.cakes import Reasons, cake_losses, is_cake, said_of
from tcc.express.losses import Loss, finding
from tcc.express.names import unnameable
from tcc.express.table import table
from tcc.express.tiers import tier_losses
from tcc.express.written import (
    FileBackend,
    Request,
    Written,
    expressed,
    header,
    lowered_files,
    quoted,
    text_differences,
)

__all__ = [
    "FileBackend",
    "Loss",
    "Reasons",
    "Request",
    "Written",
    "cake_losses",
    "expressed",
    "finding",
    "header",
    "is_cake",
    "lowered_files",
    "quoted",
    "said_of",
    "table",
    "text_differences",
    "tier_losses",
    "unnameable",
]
