"""How the parser goes on after an error: one clause is given up, the next is read.

What was read of the clause stays in the tree, with a `Broken` operand at the place of the
error, and the block of the clause is read as if nothing had happened.
"""

from collections.abc import Iterator

from tcc.diagnostics import Diagnostic
from tcc.source import Source, Span
from tcc.syntax import messages
from tcc.syntax import tables as t
from tcc.syntax.automaton import Automaton
from tcc.syntax.lexer import Token
from tcc.syntax.nodes import Clauses, Nodes, Value
from tcc.syntax.tree import Block, Broken, Clause, Word


class Recovery:
    """Decides what becomes of a token that cannot stand where it stands."""

    def __init__(
        self, source: Source, nodes: Nodes, automaton: Automaton, found: list[Diagnostic]
    ) -> None:
        """Recover in the parse of `source` that `automaton` does."""
        self.source, self.nodes, self.automaton, self.found = source, nodes, automaton, found

    def recover(self, token: Token, stream: Iterator[Token]) -> Token | None:
        """Report the error; return the token to go on with, or None for the next one."""
        kind = token[0]
        self.automaton.settle()
        top = self.automaton.values[-1]
        if t.ACTIONS[self.automaton.states[-1]][kind] > 0:  # it could, but for the depth
            self.found.append(messages.nested_too_deep(self.source, token))
            return self._give_up(token, stream, too_deep=True)
        if kind == t.STRAY:
            self.nodes.stray(token)
            return None
        if type(top) is Clauses:
            return self._at_clause_start(top, token, stream)
        if type(top) is Block and kind in (t.WORD, t.PREFER):
            self.found.append(messages.after_block(self.source, token))
            self.automaton.push(t.END, (t.END, token[1], token[1]))
            return token
        parts = self.automaton.values[-self._open_parts() :]
        self.found.append(messages.within_clause(self.source, _flat(parts), token))
        if kind == t.RPAR and type(top) is not tuple:
            return None
        return self._give_up(token, stream)

    def _open_parts(self) -> int:
        """Return how many values belong to the clause under way."""
        count = 0
        for value in reversed(self.automaton.values):
            if type(value) is Clauses:
                break
            count += 1
        return count

    def _at_clause_start(
        self, clauses: Clauses, token: Token, stream: Iterator[Token]
    ) -> Token | None:
        kind = token[0]
        if kind == t.END:  # the end of a line that was given up
            return None
        below = None
        if kind == t.LBRACE:
            below = messages.brace_below(self.source, clauses, token)
        if below is not None:
            self.found.append(below)
            clause = clauses.pop()
            self._again(clause.prefer, clause.word, list(clause.operands))
            return token
        self.found.append(messages.clause_start(self.source, token))
        if kind not in (t.RBRACE, t.RPAR):
            _skip(token, stream)
        return None

    def _give_up(
        self, token: Token, stream: Iterator[Token], too_deep: bool = False
    ) -> Token | None:
        """Close the clause under way as far as it was read; go on at its block or end."""
        parts = _flat(self.automaton.abandon())
        stop = token if too_deep else _until_block(token, stream)
        prefer = None
        if parts and type(parts[0]) is tuple and parts[0][0] == t.PREFER:
            prefer = self.nodes.span(parts.pop(0))
        if not parts or type(parts[0]) is not Word:
            _skip(stop, stream)
            return None
        operands = [part for part in parts[1:] if type(part) not in (tuple, Block)]
        block = parts[-1] if type(parts[-1]) is Block else None
        operands.append(Broken(Span(self.source.path, token[1], token[2])))
        if stop[0] == t.LBRACE and block is None and not too_deep:
            self._again(prefer, parts[0], operands)
            return stop
        _skip(stop, stream)
        span = parts[0].span.to((block or operands[-1]).span)
        clause = Clause(span, parts[0], tuple(operands), block, prefer)
        self.automaton.values[-1].append(clause)
        return None

    def _again(self, prefer: Span | None, word: Word, operands: list[Value]) -> None:
        """Bring the automaton to where it was behind these parts of a clause."""
        if prefer is not None:
            self.automaton.push(t.PREFER, (t.PREFER, prefer.start, prefer.end))
        self.automaton.push(t.WORD, word)
        for operand in operands:
            self.automaton.push(t.STRING, operand)  # a terminal that can be any operand


def _flat(parts: list[Value]) -> list[Value]:
    """Return the parts of a clause with the operands out of their lists."""
    flat: list[Value] = []
    for part in parts:
        if isinstance(part, list):
            flat.extend(part)
        else:
            flat.append(part)
    return flat


def _until_block(token: Token, stream: Iterator[Token]) -> Token:
    """Return the first END or `{` from `token` on."""
    while token[0] not in (t.END, t.LBRACE):
        following = next(stream, None)
        if following is None:
            return (t.END, token[2], token[2])
        token = following
    return token


def _skip(token: Token, stream: Iterator[Token]) -> None:
    """Skip to the END of the clause that `token` is in, over blocks as a whole."""
    depth = 0
    following: Token | None = token
    while following is not None:
        kind = following[0]
        if kind == t.LBRACE:
            depth += 1
        elif kind == t.RBRACE:
            depth -= 1
        elif kind == t.END and depth <= 0:
            return
        following = next(stream, None)
