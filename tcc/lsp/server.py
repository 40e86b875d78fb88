"""The server: which question of the protocol is answered by which part."""

import asyncio
import os
from collections.abc import Sequence
from typing import Protocol

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcInvalidParams
from pygls.lsp.server import LanguageServer

import tcc
from tcc import api
from tcc.diagnostics import Diagnostic, Severity
from tcc.linting import config
from tcc.linting.settings import Asked, SettingsFor
from tcc.lsp import actions, completion, names
from tcc.lsp.document import Document, read
from tcc.lsp.hover import hover
from tcc.lsp.places import Places, path_of, uri_of
from tcc.passes import Kind
from tcc.source import Source

PAUSE = 0.15
"""Seconds without a key before a text is looked at again."""
SEVERITIES = {
    Severity.ERROR: lsp.DiagnosticSeverity.Error,
    Severity.WARNING: lsp.DiagnosticSeverity.Warning,
    Severity.NOTE: lsp.DiagnosticSeverity.Information,
}
SYMBOLS = {
    Kind.LINK: lsp.SymbolKind.Interface,
    Kind.PROFILE: lsp.SymbolKind.Class,
    Kind.TIER: lsp.SymbolKind.Enum,
    Kind.WORKLOAD: lsp.SymbolKind.Function,
    Kind.TESTBED: lsp.SymbolKind.Object,
    Kind.LET: lsp.SymbolKind.Constant,
    Kind.PARAM: lsp.SymbolKind.Variable,
}
PROPOSED = {
    "clause": lsp.CompletionItemKind.Keyword,
    "value": lsp.CompletionItemKind.Value,
    "preset": lsp.CompletionItemKind.EnumMember,
    "name": lsp.CompletionItemKind.Variable,
    "device": lsp.CompletionItemKind.Interface,
}


class Server(LanguageServer):
    """The server with the texts that are open, as far as they have been looked at."""

    def __init__(self, asked: Asked) -> None:
        super().__init__("tcc", tcc.__version__)
        self.asked = asked
        self.settings_for = SettingsFor(asked)
        self.open: dict[str, tuple[int | None, Document]] = {}
        self.waiting: dict[str, asyncio.TimerHandle] = {}
        self.told: set[str] = set()

    def document(self, uri: str) -> Document:
        """Return an open text, looked at as it is now."""
        text = self.workspace.get_text_document(uri)
        known = self.open.get(uri)
        if known is None or known[0] != text.version or known[1].source.text != text.source:
            known = text.version, read(path_of(uri), text.source, self.settings_for, self.unsaved())
            self.open[uri] = known
            self.tell(known[1].problem)
        return known[1]

    def unsaved(self) -> dict[str, str]:
        """Return the texts that are open, by real path."""
        texts = self.workspace.text_documents.values()
        return {os.path.realpath(path_of(text.uri)): text.source for text in texts}

    def includers(self, uri: str) -> list[str]:
        """Return the other open texts that include one, as they were looked at last."""
        path = os.path.realpath(path_of(uri))
        return [
            other
            for other, (_, document) in self.open.items()
            if other != uri and path in map(os.path.realpath, document.built.sources)
        ]

    def tell(self, problem: str) -> None:
        """Show what is wrong with a configuration, once."""
        if problem and problem not in self.told:
            self.told.add(problem)
            message = lsp.ShowMessageParams(lsp.MessageType.Error, f"tcc: {problem}")
            self.window_show_message(message)

    def places(self, document: Document) -> Places:
        """Return what turns spans of a text, and of those it includes, into ranges."""
        sources: dict[str, Source] = {**document.built.sources}
        sources[document.source.path] = document.source
        return Places(self.workspace.position_codec, sources)

    def changed(self, uri: str) -> None:
        """Send what is found in a text, and in those that include it."""
        self.publish(uri)
        for other in self.includers(uri):
            del self.open[other]
            self.publish(other)

    def publish(self, uri: str) -> None:
        """Send what is found in an open text."""
        self.waiting.pop(uri, None)
        if uri not in self.workspace.text_documents:
            return
        document = self.document(uri)
        places = self.places(document)
        found = [_diagnostic(item, places) for item in document.own]
        version = self.workspace.get_text_document(uri).version
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, version))

    def soon(self, uri: str) -> None:
        """Look at a text when nothing has been typed for a moment."""
        if uri in self.waiting:
            self.waiting[uri].cancel()
        loop = asyncio.get_running_loop()
        self.waiting[uri] = loop.call_later(PAUSE, self.changed, uri)

    def anew(self) -> None:
        """Look at everything again: a file beside them has changed."""
        config.forget()
        self.settings_for = SettingsFor(self.asked)
        self.open.clear()
        for uri in list(self.workspace.text_documents):
            self.publish(uri)


def _diagnostic(item: Diagnostic, places: Places) -> lsp.Diagnostic:
    assert item.span is not None
    related = [
        lsp.DiagnosticRelatedInformation(places.location(span), words)
        for words, span in item.related
    ]
    return lsp.Diagnostic(
        range=places.range(item.span),
        message="\n".join((item.message, *item.hints)),
        severity=SEVERITIES[item.severity],
        code=item.code,
        source="tcc",
        related_information=related or None,
        tags=[lsp.DiagnosticTag.Unnecessary] if item.code == "unused-name" else None,
    )


def serve(asked: Asked) -> Server:
    """Return a server that answers everything; `start_io` makes it listen."""
    server = Server(asked)
    _texts(server)
    _questions(server)
    _names(server)
    return server


def _texts(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.soon(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        server.anew()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed_beside(_: lsp.DidChangeWatchedFilesParams) -> None:
        server.anew()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        uri = params.text_document.uri
        server.open.pop(uri, None)
        server.changed(uri)  # what is on the disk counts again
        server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))


def _questions(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def hovered(params: lsp.HoverParams) -> lsp.Hover | None:
        document, places, offset = _at(server, params)
        found = hover(document, offset)
        if found is None:
            return None
        text, span = found
        content = lsp.MarkupContent(lsp.MarkupKind.Markdown, text)
        return lsp.Hover(content, places.range(span))

    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=['"', ":", " "])
    )
    def completed(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        document, _, offset = _at(server, params)
        return [
            lsp.CompletionItem(
                label=one.text,
                kind=PROPOSED[one.kind],
                detail=one.detail or None,
                documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, one.about)
                if one.about
                else None,
                sort_text=f"{number:04}",
            )
            for number, one in enumerate(completion.proposals(document, offset))
        ]

    @server.feature(lsp.TEXT_DOCUMENT_FORMATTING)
    def formatted(params: lsp.DocumentFormattingParams) -> list[lsp.TextEdit] | None:
        document = server.document(params.text_document.uri)
        laid_out = api.format_text(document.source)
        if not isinstance(laid_out, str):
            return None  # syntax errors, which are shown
        text = document.source.text
        end = "\r\n" if text[: text.find("\n")].endswith("\r") else "\n"
        new = laid_out.replace("\r\n", "\n").replace("\n", end)
        places = server.places(document)
        whole = lsp.Range(lsp.Position(0, 0), places.position(document.source.path, len(text)))
        return [lsp.TextEdit(whole, new)] if new != text else []

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION,
        lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix, actions.ALL]),
    )
    def offered(params: lsp.CodeActionParams) -> Sequence[lsp.CodeAction]:
        document = server.document(params.text_document.uri)
        places = server.places(document)
        at = places.span(document.source.path, params.range)
        found = list(actions.actions(document, places, at, params.context.diagnostics))
        together = actions.all_safe(document, places)
        found += [together] if together is not None else []
        only = params.context.only
        kinds = [str(getattr(kind, "value", kind)) for kind in only or ()]
        return [one for one in found if not kinds or any(_is(one, kind) for kind in kinds)]


def _is(action: lsp.CodeAction, kind: str) -> bool:
    has = str(getattr(action.kind, "value", action.kind))
    return has == kind or has.startswith(f"{kind}.")


def _names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def defined(params: lsp.DefinitionParams) -> lsp.Location | None:
        document, places, offset = _at(server, params)
        found = names.at(document, offset)
        return places.location(found[0].span) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def used(params: lsp.ReferenceParams) -> list[lsp.Location]:
        document, places, offset = _at(server, params)
        found = names.at(document, offset)
        if found is None:
            return []
        spans = list(names.occurrences(found[0]))
        first = 0 if params.context.include_declaration else 1
        return [places.location(span) for span in spans[first:]]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def can_be_renamed(params: lsp.PrepareRenameParams) -> lsp.Range | None:
        document, places, offset = _at(server, params)
        found = names.at(document, offset)
        return places.range(found[1]) if found else None

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def renamed(params: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        document, places, offset = _at(server, params)
        found = names.at(document, offset)
        if found is None:
            return None
        refusal = names.refusal(document, found[0], params.new_name)
        if refusal:
            raise JsonRpcInvalidParams(refusal)
        changes: dict[str, list[lsp.TextEdit]] = {}
        for span in names.occurrences(found[0]):
            edit = lsp.TextEdit(places.range(span), params.new_name)
            changes.setdefault(uri_of(span.path), []).append(edit)
        return lsp.WorkspaceEdit(changes=changes)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def outlined(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = server.document(params.text_document.uri)
        places = server.places(document)
        return [
            lsp.DocumentSymbol(
                name=one.name,
                kind=SYMBOLS[one.kind],
                range=places.range(one.clause.span if one.clause is not None else one.span),
                selection_range=places.range(one.span),
                detail=str(one.kind),
            )
            for one in document.built.names
            if one.kind in SYMBOLS and one.span.path == document.source.path
        ]


class _Asks(Protocol):
    """A question about a place."""

    text_document: lsp.TextDocumentIdentifier
    position: lsp.Position


def _at(server: Server, params: _Asks) -> tuple[Document, Places, int]:
    """Return the text that a question is about, its places, and the offset."""
    document = server.document(params.text_document.uri)
    places = server.places(document)
    return document, places, places.offset(document.source.path, params.position)
