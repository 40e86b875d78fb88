"""The SACK options of acknowledgements on their way.

Few acknowledgements carry one, so it lies in a row of its own: a packet's `id` is the number of
the row plus 1, or 0 for none.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.libc.stdlib import free, realloc
else:
    from tcc.engine.constants import NIL
    from tcc.engine.tcp.rows import Blocks


class OptionPool:
    """Every SACK option of one simulation."""

    def __init__(self) -> None:
        self.size = 0
        self.used = 0
        self.free_row = NIL
        if not cython.compiled:
            self.rows: list[Blocks] = []
        if not self.grow(64):
            raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.rows)

    def grow(self, size: cython.int) -> cython.int:
        """Make `size` rows of what there is; return 0 if there is no memory."""
        row: cython.int
        if cython.compiled:
            rows: cython.pointer[Blocks] = cython.cast(
                cython.pointer[Blocks],
                realloc(self.rows, cython.cast(cython.size_t, size) * cython.sizeof(Blocks)),
            )
            if not rows:
                return 0
            self.rows = rows
        else:
            self.rows.extend(Blocks() for _ in range(size - self.size))
        for row in range(size - 1, self.size - 1, -1):
            self.rows[row].next = self.free_row
            self.free_row = row
        self.size = size
        return 1

    def take(self) -> cython.int:
        """Return an empty row; NIL if there is no memory."""
        if self.free_row == NIL and not self.grow(self.size * 2):
            return NIL
        row: cython.int = self.free_row
        self.free_row = self.rows[row].next
        self.rows[row].count = 0
        self.rows[row].duplicate = 0
        self.used += 1
        return row

    def read(self, row: int) -> list[tuple[int, int]]:
        """Return the blocks of an option: first and last segment, the last not included."""
        place: cython.int
        at: cython.int = row
        found = []
        if not 0 <= row < self.size:
            raise IndexError(f"no option {row}")
        for place in range(self.rows[at].count):
            found.append((self.rows[at].start[place], self.rows[at].end[place]))
        return found

    def give(self, row: cython.int) -> cython.void:
        """Take a row back."""
        self.rows[row].next = self.free_row
        self.free_row = row
        self.used -= 1
