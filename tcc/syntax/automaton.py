"""The LALR(1) automaton: two stacks, and the tables of `grammar/policy.lark`."""

from collections.abc import Callable, Iterator

from tcc.syntax import tables as t
from tcc.syntax.lexer import Token
from tcc.syntax.nodes import Clauses, Nodes, Value

# Blocks and parentheses may be nested so deep that the stack has this many entries: about
# 100 blocks. No policy needs a tenth of it, and what walks the tree may be recursive.
MOST_STATES = 400
_OPENING = frozenset((t.LBRACE, t.LPAR, t.CALL))

# What to do about a token that cannot stand where it stands: the token to go on with, or
# None to take the next from the stream.
Recover = Callable[[Token, Iterator[Token]], Token | None]


class Automaton:
    """A parse under way: `states` and `values` grow and shrink together."""

    def __init__(self, nodes: Nodes) -> None:
        """Stand before the first clause of a file."""
        self.states = [0, t.GOTOS[0][t.CLAUSES]]
        self.values: list[Value] = [Clauses()]
        self._makers = nodes.terminals
        # Rule n is number -1 - n in the tables, so the last comes first.
        self._rules: list[tuple[Callable[[list[Value]], Value] | None, int, int]] = [
            (getattr(nodes, makes) if makes and makes != "start" else None, origin, size)
            for makes, origin, size in reversed(t.RULES)
        ]

    @property
    def depth(self) -> int:
        """How many blocks are open."""
        return sum(type(value) is Clauses for value in self.values) - 1

    @property
    def full(self) -> bool:
        """Whether nothing more may be nested."""
        return len(self.states) >= MOST_STATES

    def run(self, stream: Iterator[Token], recover: Recover) -> Clauses:
        """Read all tokens; return the clauses of the file."""
        states, values, makers, rules = self.states, self.values, self._makers, self._rules
        actions, gotos = t.ACTIONS, t.GOTOS
        for read in stream:
            token = read
            while True:
                action = actions[states[-1]][token[0]]
                if action < 0:  # as _reduce does
                    make, origin, size = rules[action]
                    if make is None:
                        states[-1] = gotos[states[-2]][origin]
                    elif size == 1:
                        values[-1] = make(values[-1:])
                        states[-1] = gotos[states[-2]][origin]
                    else:
                        self._reduce(action)
                    continue
                if action == 0 or (token[0] in _OPENING and self.full):
                    other = recover(token, stream)
                    if other is None:
                        break
                    token = other
                    continue
                maker = makers[token[0]]
                values.append(maker(token) if maker else token)
                states.append(action)
                break
        self.settle()
        clauses: Clauses = values[0]
        return clauses

    def settle(self) -> None:
        """Finish what is complete on the stack whatever comes next: a clause, a block."""
        for kind in (t.END, t.WORD):
            if type(self.values[-1]) is tuple:
                while (action := t.ACTIONS[self.states[-1]][kind]) < 0:
                    self._reduce(action)

    def _reduce(self, action: int) -> None:
        """Put what a rule makes in the place of the symbols it is made of."""
        states, values = self.states, self.values
        make, origin, size = self._rules[action]
        if make is None:
            states[-1] = t.GOTOS[states[-2]][origin]
            return
        parts = values[-size:] if size else []
        if size:
            del values[-size:]
            del states[-size:]
        values.append(make(parts))
        states.append(t.GOTOS[states[-1]][origin])

    def push(self, kind: int, value: Value) -> None:
        """Take a terminal whose value is known already; it must be able to stand here."""
        while (action := t.ACTIONS[self.states[-1]][kind]) < 0:
            self._reduce(action)
        assert action > 0, kind
        self.values.append(value)
        self.states.append(action)

    def abandon(self) -> list[Value]:
        """Forget the clause under way and return the values that were read of it."""
        at = len(self.values)
        while type(self.values[at - 1]) is not Clauses:
            at -= 1
        parts = self.values[at:]
        del self.values[at:]
        del self.states[at + 1 :]
        return parts
