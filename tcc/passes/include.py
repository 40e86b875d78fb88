"""`include "file.tcc"`: read other files, each once, relative to the one that includes.

What is read must be a regular file with a name that ends in `.tcc`, behind links as well:
policies are compiled by root, and a message about a file quotes it.
"""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from stat import S_ISREG

from tcc.diagnostics import Diagnostic, Fix
from tcc.passes.context import Context
from tcc.source import Source
from tcc.syntax.parser import parse
from tcc.syntax.read import read_source
from tcc.syntax.tree import Broken, Clause, Text, Word

DEEPEST = 32
MOST = 1000
SUFFIX = ".tcc"
SMALL = 2**16
"""Characters up to which a tree is kept: a policy is built again for each site of a fleet."""

Identity = tuple[int, int]
"""Device and inode: what tells a file from all others, by whatever name."""


_parsed = lru_cache(maxsize=4)(parse)


def gather(
    context: Context,
    source: Source,
    directory: str | None = None,
    unsaved: Mapping[str, str] | None = None,
) -> list[Clause]:
    """Parse `source` and all that it includes; return the clauses in the order of the text.

    Args:
        context: takes trees, sources and findings.
        source: the policy itself.
        directory: what its includes are relative to, when its path does not say.
        unsaved: texts to read in the place of files, by real path.

    A file stands where it is included first; the second time it is left out. Codes: those
    of the parser and of reading, include-cycle, include-missing, include-not-a-policy,
    include-too-deep, include-too-many.
    """
    if directory is None:
        directory = os.path.dirname(source.path)
    key = _identity(source.path)
    return _Gathering(context, key, unsaved or {}).file(source, directory, (key,) if key else ())


class _Gathering:
    def __init__(
        self, context: Context, first: Identity | None, unsaved: Mapping[str, str]
    ) -> None:
        self.context = context
        self.unsaved = unsaved
        self.read = {first}

    def file(self, source: Source, directory: str, chain: tuple[Identity, ...]) -> list[Clause]:
        context = self.context
        context.sources[source.path] = source
        tree, found = _parsed(source) if len(source.text) <= SMALL else parse(source)
        context.found += found
        context.note_syntax(found)
        context.trees.append(tree)
        clauses: list[Clause] = []
        for clause in tree.clauses:
            if clause.word.text == "include":
                clauses += self.include(clause, directory, chain)
            else:
                clauses.append(clause)
        return clauses

    def include(
        self, clause: Clause, directory: str, chain: tuple[Identity, ...]
    ) -> Iterable[Clause]:
        """Return the clauses of the file that one `include` names."""
        text = clause.operands[0] if clause.operands else None
        if not isinstance(text, Text) or len(clause.operands) > 1 or clause.block:
            self.malformed(clause)
            return ()
        path = os.path.normpath(os.path.join(directory, text.value))
        key = _identity(path)
        problem = self.refusal(text.value, path, key, chain)
        if problem or key is None:
            self.context.error(problem[0], text.span, *problem[1:])
            return ()
        if key in self.read:
            return ()
        self.read.add(key)
        source = self.text(path)
        if not isinstance(source, Source):
            self.context.error("include-missing", text.span, f"{path}: {source.message}")
            return ()
        return self.file(source, os.path.dirname(path), (*chain, key))

    def text(self, path: str) -> Source | Diagnostic:
        """Return what stands in a file, or in the editor that has it open."""
        text = self.unsaved.get(os.path.realpath(path)) if self.unsaved else None
        return read_source(path) if text is None else Source(path, text)

    def malformed(self, clause: Clause) -> None:
        """Say what an `include` looks like."""
        if any(isinstance(operand, Broken) for operand in clause.operands):
            return
        span = clause.operands[0].span if clause.operands else clause.word.span
        fixes = [
            Fix(
                "quote the name",
                word.span,
                f'"{word.text.removesuffix(SUFFIX)}{SUFFIX}"',
                safe=False,
            )
            for word in clause.operands[:1]
            if isinstance(word, Word)
        ]
        self.context.error(
            "expected-file", span, "`include` takes one file name in quotes",
            'write: include "file.tcc"', fix=fixes[0] if fixes else None,
        )  # fmt: skip

    def refusal(
        self, written: str, path: str, key: Identity | None,
        chain: tuple[Identity, ...],
    ) -> tuple[str, ...]:  # fmt: skip
        """Return the code and words for an include that cannot be; nothing when it can."""
        if not written.endswith(SUFFIX):
            return ("include-not-a-policy", f"the name of a policy ends in {SUFFIX}")
        if key is not None and not os.path.realpath(path).endswith(SUFFIX):
            return (
                "include-not-a-policy",
                f"{path} leads to another file, whose name does not end in {SUFFIX}",
            )
        if key is None:
            if "\0" not in path and os.path.exists(path):
                return ("include-not-a-policy", f"{path} is not a regular file")
            return (
                "include-missing", f"there is no file {path}",
                "the name is relative to the file that includes it",
            )  # fmt: skip
        if key in chain:
            return ("include-cycle", "this file includes itself, directly or through others")
        if len(chain) > DEEPEST:
            return ("include-too-deep", f"more than {DEEPEST} files include one another")
        if len(self.read) > MOST:
            return ("include-too-many", f"more than {MOST} files are included")
        return ()


def _identity(path: str) -> Identity | None:
    """Return what tells a regular file from all others; None when it is none."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return (status.st_dev, status.st_ino) if S_ISREG(status.st_mode) else None
