"""An editor that talks to `tcc lsp` over standard input and output."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient

LONGEST = 60
"""Seconds that an answer may take on a busy machine."""


class Editor:
    """One session: a server process, and the texts that are open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.client = LanguageClient("test", "1")
        self.found: asyncio.Queue[lsp.PublishDiagnosticsParams] = asyncio.Queue()
        self.shown: list[str] = []
        self.texts: dict[str, str] = {}
        self.server: lsp.InitializeResult | None = None

        @self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: lsp.PublishDiagnosticsParams) -> None:
            self.found.put_nowait(params)

        @self.client.feature(lsp.WINDOW_SHOW_MESSAGE)
        def shown(params: lsp.ShowMessageParams) -> None:
            self.shown.append(params.message)

    async def start(self, *options: str) -> None:
        await self.client.start_io(sys.executable, "-m", "tcc", "lsp", *options, cwd=self.folder)
        self.server = await self.client.initialize_async(
            lsp.InitializeParams(
                capabilities=lsp.ClientCapabilities(), root_uri=self.folder.as_uri()
            )
        )
        self.client.initialized(lsp.InitializedParams())

    async def stop(self) -> None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    def uri(self, name: str) -> str:
        return (self.folder / name).as_uri()

    async def open(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Open a text, without a file; return what is found in it."""
        self.texts[name] = text
        item = lsp.TextDocumentItem(self.uri(name), "tcc", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return await self.next(name)

    async def next(self, name: str) -> list[lsp.Diagnostic]:
        while True:
            params = await asyncio.wait_for(self.found.get(), LONGEST)
            if params.uri == self.uri(name):
                return list(params.diagnostics)

    def type(self, name: str, version: int, line: int, column: int, text: str) -> None:
        """Insert a text, as somebody types it."""
        place = lsp.Position(line, column)
        change = lsp.TextDocumentContentChangePartial(lsp.Range(place, place), text)
        self.client.text_document_did_change(
            lsp.DidChangeTextDocumentParams(
                lsp.VersionedTextDocumentIdentifier(version, self.uri(name)), [change]
            )
        )

    def place(self, name: str, words: str, behind: int = 0) -> dict[str, object]:
        """Return the parameters of a question about the first place of some words."""
        before = self.texts[name].partition(words)[0] + words[:behind]
        line = before.count("\n")
        column = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
        return {
            "text_document": lsp.TextDocumentIdentifier(self.uri(name)),
            "position": lsp.Position(line, column),
        }

    async def hover(self, name: str, words: str) -> str:
        params = lsp.HoverParams(**self.place(name, words, 1))
        found = await self.client.text_document_hover_async(params)
        return found.contents.value if found else ""

    async def complete(self, name: str, words: str, behind: int) -> list[str]:
        params = lsp.CompletionParams(**self.place(name, words, behind))
        found = await self.client.text_document_completion_async(params)
        items = found.items if isinstance(found, lsp.CompletionList) else found or []
        return [item.label for item in items]


def session(folder: Path, talk: Callable[[Editor], Awaitable[None]], *options: str) -> None:
    """Start a server, talk to it, and end it."""

    async def whole() -> None:
        editor = Editor(folder)
        await editor.start(*options)
        try:
            await talk(editor)
        finally:
            await editor.stop()

    asyncio.run(whole())


def applied(text: str, edits: list[lsp.TextEdit]) -> str:
    """Return a text with edits applied, counted in UTF-16."""
    lines = [*text.splitlines(keepends=True), ""]

    def offset(place: lsp.Position) -> int:
        before = lines[place.line].encode("utf-16-le")[: 2 * place.character]
        return sum(map(len, lines[: place.line])) + len(before.decode("utf-16-le"))

    for edit in sorted(edits, key=lambda edit: offset(edit.range.start), reverse=True):
        text = text[: offset(edit.range.start)] + edit.new_text + text[offset(edit.range.end) :]
    return text
