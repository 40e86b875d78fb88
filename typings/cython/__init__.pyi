"""What mypy needs to know of Cython's pure-Python mode: C types are Python's integers.

A C array or pointer is a list when the engine runs interpreted, so that is what mypy sees.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Literal, TypeAlias, TypeVar

T = TypeVar("T")

compiled: Literal[False]
bint: TypeAlias = builtins.bool
char: TypeAlias = builtins.int
uchar: TypeAlias = builtins.int
short: TypeAlias = builtins.int
ushort: TypeAlias = builtins.int
int: TypeAlias = builtins.int
uint: TypeAlias = builtins.int
long: TypeAlias = builtins.int
ulong: TypeAlias = builtins.int
void: TypeAlias = None
longlong: TypeAlias = builtins.int
ulonglong: TypeAlias = builtins.int
size_t: TypeAlias = builtins.int
pointer: TypeAlias = list
nogil: AbstractContextManager[None]
gil: AbstractContextManager[None]

def cast(type: type[T], value: object) -> T: ...
def sizeof(value: object) -> builtins.int: ...
def cclass(cls: type[T]) -> type[T]: ...
def final(cls: type[T]) -> type[T]: ...
def inline(function: Callable[..., T]) -> Callable[..., T]: ...
