"""Offsets in a text, and positions as the editor counts them."""

import os
from collections.abc import Mapping
from pathlib import Path

from lsprotocol.types import Location, Position, Range
from pygls.uris import from_fs_path, to_fs_path
from pygls.workspace import PositionCodec, TextDocument

from tcc.source import Source, Span


class Places:
    """Turns spans into the editor's ranges, in the units that it asked for."""

    def __init__(self, codec: PositionCodec, sources: Mapping[str, Source]) -> None:
        self._codec = codec
        self._sources = sources
        self._texts: dict[str, TextDocument] = {}

    def text(self, path: str) -> TextDocument:
        """Return one of the texts in the editor's terms."""
        if path not in self._texts:
            source = self._sources.get(path)
            self._texts[path] = TextDocument(
                uri_of(path), source.text if source else "", position_codec=self._codec
            )
        return self._texts[path]

    def position(self, path: str, offset: int) -> Position:
        """Return the position of a character."""
        return self.text(path).client_position_at_offset(offset)

    def range(self, span: Span) -> Range:
        """Return the range of a span."""
        return Range(self.position(span.path, span.start), self.position(span.path, span.end))

    def location(self, span: Span) -> Location:
        """Return the file and the range of a span."""
        return Location(uri_of(span.path), self.range(span))

    def offset(self, path: str, position: Position) -> int:
        """Return the character at a position."""
        return self.text(path).offset_at_position(position)

    def span(self, path: str, of: Range) -> Span:
        """Return the span of a range."""
        return Span(path, self.offset(path, of.start), self.offset(path, of.end))


def uri_of(path: str) -> str:
    """Return the URI of a file."""
    return from_fs_path(os.path.abspath(path)) or Path(path).absolute().as_uri()


def path_of(uri: str) -> str:
    """Return the path of a URI; of one that is no file (`untitled:1`), a name for messages."""
    if not uri.startswith("file:"):
        return uri.replace(":", "-").replace("/", "-")
    return os.path.relpath(to_fs_path(uri) or uri)
