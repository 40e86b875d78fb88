"""One layout for every policy.

Clauses stand in lines of their own, four blanks further in for each block. A block that was
written on one line stays there while it fits into 100 columns. In a block, the values of
clauses on adjacent lines begin in one column; at the top of the file, adjacent clauses of
one kind (`let`, `param`, `tier`) are aligned behind their names. So are comments behind
clauses on adjacent lines. Blank lines are kept, one at a time; a block of several lines at
the top of the file has one before and after it.

A line that carries a comment is neither joined with another nor split, however long.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tcc.syntax.pieces import COLUMNS, INDENT, Gap, Piece, Setter, width
from tcc.syntax.tree import Comment, Tree

LONGEST_ALIGNED = 16
_LAST_COMMENT_COLUMN = 60
_STRUCTURAL = (Gap.CLAUSE, Gap.CLOSE, Gap.EMPTY)
_WAIVER = "# tcc:"


@dataclass(slots=True)
class _Line:
    """One line of output: pieces and a comment behind them, or a comment alone."""

    pieces: list[Piece]
    depth: int
    comment: str = ""
    blank_before: bool = False
    whole: bool = False  # one clause, all of it
    padding: int = field(default=0)  # blanks more between what is aligned and the rest

    @property
    def code(self) -> str:
        """The line without indentation and comment."""
        if not self.pieces:
            return ""
        parts = [self.pieces[0].text]
        pad_at = _aligned(self)
        for number, piece in enumerate(self.pieces[1:], start=1):
            parts.append(_between(self.pieces[number - 1], piece))
            if number == pad_at:
                parts.append(" " * self.padding)
            parts.append(piece.text)
        return "".join(parts)

    @property
    def columns(self) -> int:
        """How far the line reaches without its comment."""
        return len(INDENT) * self.depth + len(self.code)


def format(tree: Tree) -> str:
    """Return the text of `tree` in the one layout; the tree must be free of errors.

    The result parses to the same tree but for spans, and formatting it changes nothing.
    """
    kept = _kept_lines(tree)
    lines = [part for line in _lines(tree, kept) for part in _wrapped(line, kept)]
    _mark_whole(lines)
    _separate_blocks(lines)
    _align_values(lines)
    return "".join(_text(lines))


def _between(before: Piece, piece: Piece) -> str:
    """Return what stands between two pieces on one line."""
    if piece.gap in (Gap.GLUE, Gap.SOFT_GLUE, Gap.EMPTY):
        return ""
    if piece.gap is Gap.CLAUSE and before.text != "{":
        return "; "
    return " "


def _lines(tree: Tree, kept: set[int]) -> Iterator[_Line]:
    """Yield the lines, as long as they come, with their comments."""
    kept = _kept_lines(tree)
    comments = list(reversed(tree.comments))
    line: _Line | None = None
    last = 0  # the line in the source of what came last
    opened = True  # at the beginning of the file or of a block
    for piece in Setter(tree.source).tree(tree):
        between = False
        while comments and comments[-1].span.start < piece.start:
            comment = comments.pop()
            between = True
            at = tree.source.position(comment.span.start).line
            if not comment.own_line and line is not None:
                line.comment = comment.text
            else:
                if line is not None:
                    yield line
                depth = piece.depth + (piece.gap not in (Gap.CLAUSE,))
                line = _Line([], depth, comment.text, at > last + 1 and not opened)
                opened = False
            last = at
        if line is not None and not between and not _breaks(line.pieces[-1], piece, kept):
            line.pieces.append(piece)
        else:
            if line is not None:
                yield line
            structural = piece.gap in _STRUCTURAL
            blank = piece.line > last + 1 and piece.gap is Gap.CLAUSE and not opened
            line = _Line([piece], piece.depth + (not structural), "", blank)
        last, opened = piece.line, piece.text == "{"
    yield from _last_lines(tree, line, comments, last)


def _last_lines(
    tree: Tree, line: _Line | None, comments: list[Comment], last: int
) -> Iterator[_Line]:
    """Yield the last line and the comments behind it."""
    first = line is None
    for comment in reversed(comments):
        at = tree.source.position(comment.span.start).line
        if not comment.own_line and line is not None:
            line.comment = comment.text
        else:
            if line is not None:
                yield line
            line = _Line([], 0, comment.text, at > last + 1 and not first)
            first = False
        last = at
    if line is not None:
        yield line


def _kept_lines(tree: Tree) -> set[int]:
    """Return the lines of the source that are neither joined nor split."""
    kept = set()
    position = tree.source.position
    for comment in tree.comments:
        line = position(comment.span.start).line
        if not comment.own_line:
            kept.add(line)
        elif comment.text.startswith(_WAIVER):
            kept.add(line + 1)  # what is waived is what stands on the line below
    return kept


def _breaks(before: Piece, piece: Piece, kept: set[int]) -> bool:
    """Whether a line end goes between two pieces, however short the line."""
    if before.line == piece.line and piece.line in kept:
        return False
    if before.line != piece.line and (before.line in kept or piece.line in kept):
        return True
    return piece.gap in (Gap.CLAUSE, Gap.CLOSE)


def _wrapped(line: _Line, kept: set[int]) -> Iterator[_Line]:
    """Yield a line, in several when it is too long and may be split."""
    if line.columns <= COLUMNS or line.comment or any(p.line in kept for p in line.pieces):
        yield line
        return
    current = _Line([], line.depth, "", line.blank_before)
    inner = line.pieces[0].depth + 1
    for chunk in _chunks(line.pieces):
        room = COLUMNS - len(INDENT) * current.depth
        if current.pieces and width(current.pieces + chunk) > room:
            yield current
            current = _Line([], inner)
        current.pieces += chunk
    yield current


def _chunks(pieces: list[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces between which a line may be split."""
    chunk: list[Piece] = []
    for piece in pieces:
        if chunk and piece.gap in (Gap.SOFT, Gap.SOFT_GLUE):
            yield chunk
            chunk = []
        chunk.append(piece)
    yield chunk


def _mark_whole(lines: list[_Line]) -> None:
    """Find the lines that hold one clause and all of it."""
    for number, line in enumerate(lines):
        starts = [piece.gap is Gap.CLAUSE for piece in line.pieces]
        following = lines[number + 1].pieces if number + 1 < len(lines) else []
        goes_on = following and following[0].gap not in _STRUCTURAL
        one = starts.count(True) == 1 and starts[0]
        line.whole = bool(one and _closed(line.pieces) and not goes_on)


def _closed(pieces: list[Piece]) -> bool:
    """Whether all blocks that begin in a line end in it."""
    opened = sum(piece.text == "{" for piece in pieces)
    closed = sum(piece.text.rstrip(";") == "}" for piece in pieces)
    return opened == closed


def _separate_blocks(lines: list[_Line]) -> None:
    """Put a blank line before and after each block of several lines at the top."""
    start: int | None = None  # where an item begins, with the comments that stand on it
    tall = False  # whether the item before has several lines
    for at, line in enumerate(lines):
        if line.depth or (line.pieces and line.pieces[0].gap is not Gap.CLAUSE):
            start = None
            continue
        if start is None or line.blank_before:
            start = at
        if not line.pieces:
            continue
        this = not _closed(line.pieces)
        if start and (tall or this):
            lines[start].blank_before = True
        tall, start = this, None


def _aligned(line: _Line) -> int:
    """Return the number of the piece that is moved to the column of its neighbours."""
    if line.depth == 0 and len(line.pieces) > 1 and line.pieces[1].name:
        return 2
    return 1


def _align_values(lines: list[_Line]) -> None:
    """Move the values of clauses on adjacent lines to one column."""
    run: list[_Line] = []
    for line in lines:
        if not _joins(run, line):
            _pad(run)
            run = []
        if line.whole and len(line.pieces) > _aligned(line):
            run.append(line)
    _pad(run)


def _joins(run: list[_Line], line: _Line) -> bool:
    """Whether `line` is aligned with the lines of `run`."""
    if not run:
        return True
    last = run[-1]
    if line.blank_before or not line.whole or line.depth != last.depth:
        return False
    if line.depth == 0:
        return line.pieces[0].text == last.pieces[0].text and _aligned(line) == 2
    return True


def _lead(line: _Line) -> int:
    """Return the columns of what stands before the value that is aligned."""
    return width(line.pieces[: _aligned(line)])


def _pad(run: list[_Line]) -> None:
    """Give the lines of a run their padding; what is very long sticks out."""
    leads = [_lead(line) for line in run]
    column = max((lead for lead in leads if lead <= LONGEST_ALIGNED), default=0)
    for line, lead in zip(run, leads, strict=True):
        padding = column - lead
        if padding > 0 and (line.comment or line.columns + padding <= COLUMNS):
            line.padding = padding


def _text(lines: list[_Line]) -> Iterator[str]:
    """Yield the text of the lines, comments on adjacent lines in one column."""
    at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and _has_comment_behind(lines[end], end > at):
            end += 1
        column = max(
            (line.columns for line in lines[at:end] if line.columns <= _LAST_COMMENT_COLUMN),
            default=0,
        )
        for line in lines[at : max(end, at + 1)]:
            yield _print(line, column)
        at = max(end, at + 1)


def _has_comment_behind(line: _Line, follows: bool) -> bool:
    return bool(line.pieces and line.comment and not (follows and line.blank_before))


def _print(line: _Line, column: int) -> str:
    """Return one line of text; its comment, if any, two blanks behind `column`."""
    blank = "\n" if line.blank_before else ""
    indent = INDENT * line.depth
    if not line.pieces:
        return f"{blank}{indent}{line.comment}\n"
    code = f"{blank}{indent}{line.code}"
    if not line.comment:
        return f"{code}\n"
    gap = " " * (max(0, column - line.columns) + 2)
    return f"{code}{gap}{line.comment}\n"
