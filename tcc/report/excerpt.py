"""The line of a file that a finding is about, with carets under the words at fault."""

from tcc.source import Source, Span
from tcc.visible import columns, width

WIDEST = 110
_BEFORE = 40


def excerpt(source: Source, span: Span) -> tuple[str, str, str]:
    """Return the number of the line, the line, and carets below the words of `span`.

    Carets stand right under tabs and wide characters. Of a very long line, only what is
    near the words is shown; of words on several lines, only the first line.
    """
    position = source.position(span.start)
    text = source.line(position.line)
    start = min(position.column - 1, len(text))
    end = min(max(start + span.end - span.start, start), len(text))
    before, words, behind = text[:start], text[start:end], text[end:]
    if len(text) > WIDEST:
        if len(before) > _BEFORE:
            before = "…" + before[-_BEFORE:]
        room = WIDEST - len(before)
        if len(words) > room:
            words, behind = words[: room - 1] + "…", ""
        elif len(words) + len(behind) > room:
            behind = behind[: room - len(words)] + "…"
    line = (columns(before) + columns(words) + columns(behind)).rstrip()
    carets = " " * width(columns(before)) + "^" * max(1, width(columns(words)))
    return str(position.line), line, carets
