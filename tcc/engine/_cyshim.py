"""Stands in for `import cython` where Cython is not installed.

The engine's modules run uncompiled with nothing of Cython but the question whether they are
compiled: types of local variables are annotations, which Python does not evaluate.
"""

from __future__ import annotations

from contextlib import nullcontext

compiled = False
nogil = nullcontext()
gil = nullcontext()
