"""The children of one cake_mq, which look at one another when they share the rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

try:
    import cython
except ImportError:
    from tcc.engine import _cyshim as cython  # type: ignore[no-redef]

if cython.compiled:
    from cython.cimports.cpython.ref import PyObject
    from cython.cimports.libc.stdlib import free, realloc

if TYPE_CHECKING:
    from tcc.engine.cake.qdisc import Cake


class Siblings:
    """The children of one cake_mq, which look at one another."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: list[Cake] = []
        if not cython.compiled:
            self.children: list[Cake] = []

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.children)

    def add(self, child: Cake) -> None:
        """Take a child in; only cake_mq calls this."""
        if cython.compiled:
            children: cython.pointer[cython.pointer[PyObject]] = cython.cast(
                cython.pointer[cython.pointer[PyObject]],
                realloc(self.children, (self.count + 1) * cython.sizeof(cython.size_t)),
            )
            if not children:
                raise MemoryError
            children[self.count] = cython.cast(cython.pointer[PyObject], child)
            self.children = children
        else:
            self.children.append(child)
        self.kept.append(child)
        self.count += 1
