"""`tcc lsp`, asked by a real client over standard input and output."""

import asyncio
import json
import subprocess
import sys

import pytest
from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import Editor, applied, session

pytestmark = pytest.mark.slow

HOME = """\
# Ein Häuschen \U0001f3e0 am Netz.
let sync_up = 40mbit
param port : device = "pppoe-wan"
profile home { tiers diffserv4; fairness per-host }

link wan : home {
    device  port
    framing pppoe-ptm
    role    router
    egress  { bandwidth 95% of sync_up; rtt regional }
}

tier voice { match dscp ef }
tier games as video { match udp remote port 3074 }

objective "calls" {
    under   rrul for 20s rtt 40ms
    require voice induced-latency p99 <= 10ms
    require games loss <= 1%
}
"""


def codes(found: list[lsp.Diagnostic]) -> list[str]:
    return [str(item.code) for item in found]


def test_findings_as_you_type(tmp_path):
    async def talk(editor: Editor) -> None:
        assert await editor.open("home.tcc", HOME) == []
        editor.type("home.tcc", 2, 1, 18, "ps")  # 40mbitps
        [item] = await editor.next("home.tcc")
        assert item.code == "number-unit"
        assert item.severity is lsp.DiagnosticSeverity.Error
        assert (item.source, item.range.start) == ("tcc", lsp.Position(1, 14))
        assert item.range.end == lsp.Position(1, 22)

    session(tmp_path, talk)


def test_many_keys_are_one_look(tmp_path):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        for version, letter in enumerate("let x = 1mbit", 2):
            editor.type("home.tcc", version, 4, version - 2, letter)
        found = await editor.next("home.tcc")
        assert codes(found) == ["unused-name"]
        assert list(found[0].tags) == [lsp.DiagnosticTag.Unnecessary]

    session(tmp_path, talk)


def test_places_are_counted_in_utf_16(tmp_path):
    async def talk(editor: Editor) -> None:
        text = (
            'link "\U0001f3e0\U0001f3e0" 5\nlink wan { device "eth0"; bandwidth 5 } # \U0001f3e0\n'
        )
        found = await editor.open("a.tcc", text)
        [unit] = [item for item in found if item.code == "missing-unit"]
        assert unit.range == lsp.Range(lsp.Position(1, 36), lsp.Position(1, 37))
        assert max(item.range.end.character for item in found if item.range.start.line == 0) == 11

    session(tmp_path, talk)


def test_hover(tmp_path):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        preset = await editor.hover("home.tcc", "pppoe-ptm")
        assert "Each packet takes its IP size and 30 bytes, in PTM (64 of 65 bytes)" in preset
        clause = await editor.hover("home.tcc", "bandwidth")
        assert "the rate to shape to" in clause
        assert "| netlink | wan egress | " in clause
        assert "| openwrt | wan egress | " in clause
        assert "38" in clause  # 95% of 40 Mbit/s
        fair = await editor.hover("home.tcc", "per-host")
        assert "dual-srchost" in fair
        assert "let sync_up = 40mbit" in await editor.hover("home.tcc", "sync_up;")
        assert "interval is 30ms and its target 1.5ms" in await editor.hover("home.tcc", "regional")
        assert "0x2e" in await editor.hover("home.tcc", "ef }")  # RFC 3246: 101110
        assert await editor.hover("home.tcc", "# Ein") == ""

    session(tmp_path, talk)


FACTS = {"devices": [{"name": "eth7"}, {"name": "pppoe-wan"}]}


def test_completion(tmp_path):
    (tmp_path / "router.json").write_text(json.dumps(FACTS))
    (tmp_path / "tcc.toml").write_text('facts = "router.json"\n')

    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME + 'link two {\n    device "e\n    fra\n')
        at = lambda words, behind: editor.complete("home.tcc", words, behind)  # noqa: E731
        assert await at('"e\n', 2) == ["eth7", "pppoe-wan"]
        top = await at("link wan", 0)
        assert {"link", "let", "objective"} <= set(top)
        assert {"framing", "role", "bandwidth", "prefer"} <= set(await at("    fra\n", 7))
        assert {"bandwidth", "qdisc"} <= set(await at("{ bandwidth 95", 2))
        assert "framing" not in await at("{ bandwidth 95", 2)
        assert {"pppoe-ptm", "docsis", "vlan"} <= set(await at("framing pppoe", 8))
        assert "satellite" in await at("rtt regional", 4)
        assert {"sync_up", "unlimited"} <= set(await at("bandwidth 95", 10))
        assert await at("wan : home", 6) == ["home"]
        assert {"udp", "ef", "af41"} <= set(await at("dscp ef", 5))
        assert {"voice", "games", "p99", "induced-latency"} <= set(await at("voice induced", 0))
        assert {"rrul", "tcp_nup"} <= set(await at("rrul for", 0))
        assert await at("# Ein", 3) == []

    session(tmp_path, talk)


def test_options_of_a_qdisc(tmp_path):
    async def talk(editor: Editor) -> None:
        await editor.open("a.tcc", 'link a { device "eth0"; egress { qdisc tbf { lat } } }\n')
        words = await editor.complete("a.tcc", "lat }", 3)
        assert {"burst", "latency", "peak", "inner"} <= set(words)
        assert "cake_mq" in await editor.complete("a.tcc", "tbf {", 0)

    session(tmp_path, talk)


@pytest.mark.parametrize(
    ("words", "line"),
    [("sync_up;", 1), ("port\n", 2), ("home {\n", 3), ("voice induced", 12), ("games loss", 13)],
)
def test_definition(tmp_path, words, line):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        params = lsp.DefinitionParams(**editor.place("home.tcc", words, 1))
        found = await editor.client.text_document_definition_async(params)
        assert (found.uri, found.range.start.line) == (editor.uri("home.tcc"), line)

    session(tmp_path, talk)


def test_definition_in_another_file(tmp_path):
    (tmp_path / "common").mkdir()
    (tmp_path / "common/rates.tcc").write_text("# rates\nlet up = 9mbit\n")
    text = 'include "common/rates.tcc"\nlink a { device "eth0"; role host; bandwidth up }\n'

    async def talk(editor: Editor) -> None:
        await editor.open("a.tcc", text)
        params = lsp.DefinitionParams(**editor.place("a.tcc", "up }", 1))
        found = await editor.client.text_document_definition_async(params)
        assert found.uri == (tmp_path / "common/rates.tcc").as_uri()
        assert found.range == lsp.Range(lsp.Position(1, 4), lsp.Position(1, 6))

    session(tmp_path, talk)


def test_what_is_included_is_as_it_stands_in_the_editor(tmp_path):
    """Also before it is saved, and again as on the disk once its text is closed."""
    (tmp_path / "rates.tcc").write_text("let up = 9mbit\n")
    home = (
        'include "rates.tcc"\n'
        'link wan { device "eth0"; framing ethernet; role router; egress { bandwidth up } }\n'
    )

    async def talk(editor: Editor) -> None:
        assert await editor.open("home.tcc", home) == []
        shared = "# rates\nlet down = 90mbit\n"
        assert await editor.open("rates.tcc", shared) == []
        assert codes(await editor.next("home.tcc")) == ["unknown-name"]
        editor.type("rates.tcc", 2, 1, 4, "up = 9mbit\nlet ")
        assert codes(await editor.next("home.tcc")) == []
        asked = lsp.DefinitionParams(**editor.place("home.tcc", "bandwidth up", 10))
        place = await editor.client.text_document_definition_async(asked)
        assert place.uri == editor.uri("rates.tcc")
        assert place.range.start == lsp.Position(1, 4)
        editor.type("rates.tcc", 3, 1, 4, "x")
        assert codes(await editor.next("home.tcc")) == ["unknown-name"]
        editor.client.text_document_did_close(
            lsp.DidCloseTextDocumentParams(lsp.TextDocumentIdentifier(editor.uri("rates.tcc")))
        )
        assert codes(await editor.next("home.tcc")) == []

    session(tmp_path, talk)


def test_rename_changes_every_use_and_nothing_else(tmp_path):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        for old, new, words in (("sync_up", "uplink", "sync_up;"), ("games", "play", "games loss")):
            place = editor.place("home.tcc", words, 1)
            allowed = await editor.client.text_document_prepare_rename_async(
                lsp.PrepareRenameParams(**place)
            )
            assert isinstance(allowed, lsp.Range)
            edit = await editor.client.text_document_rename_async(
                lsp.RenameParams(new_name=new, **place)
            )
            after = applied(HOME, edit.changes[editor.uri("home.tcc")])
            assert after == HOME.replace(old, new)

    session(tmp_path, talk)


@pytest.mark.parametrize(
    ("words", "name", "why"),
    [
        ("sync_up;", "unlimited", "take as a value"),
        ("sync_up;", "port", "there is a param `port` already"),
        ("sync_up;", "two words", "is no name"),
        ("games loss", "ping", "means something else"),
        ("voice induced", "talk", "write `as voice`"),
    ],
)
def test_a_name_that_cannot_be(tmp_path, words, name, why):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        place = editor.place("home.tcc", words, 1)
        with pytest.raises(JsonRpcException, match=why):
            await editor.client.text_document_rename_async(lsp.RenameParams(new_name=name, **place))

    session(tmp_path, talk)


def test_references_and_outline(tmp_path):
    async def talk(editor: Editor) -> None:
        await editor.open("home.tcc", HOME)
        found = await editor.client.text_document_references_async(
            lsp.ReferenceParams(
                context=lsp.ReferenceContext(include_declaration=True),
                **editor.place("home.tcc", "sync_up =", 1),
            )
        )
        assert [place.range.start.line for place in found] == [1, 9]
        symbols = await editor.client.text_document_document_symbol_async(
            lsp.DocumentSymbolParams(lsp.TextDocumentIdentifier(editor.uri("home.tcc")))
        )
        assert {"sync_up", "port", "home", "wan", "voice", "games"} == {one.name for one in symbols}

    session(tmp_path, talk)


def test_layout(tmp_path):
    async def talk(editor: Editor) -> None:
        untidy = 'link  wan {device "eth0"\r\n   role host; bandwidth   5mbit}\r\n'
        await editor.open("a.tcc", untidy)
        params = lsp.DocumentFormattingParams(
            lsp.TextDocumentIdentifier(editor.uri("a.tcc")), lsp.FormattingOptions(4, True)
        )
        edits = await editor.client.text_document_formatting_async(params)
        tidy = applied(untidy, edits)
        assert tidy.splitlines()[0] == "link wan {"
        assert tidy.count("\r\n") == tidy.count("\n")

    session(tmp_path, talk)


def test_fixes(tmp_path):
    text = 'link wan {\n    device "eth0"\n    role host\n    bandwidth 100 mbit\n}\n'

    async def talk(editor: Editor) -> None:
        found = await editor.open("a.tcc", text)
        context = lsp.CodeActionContext(found)
        offered = await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(editor.uri("a.tcc")), found[0].range, context
            )
        )
        [fix] = [one for one in offered if one.kind == lsp.CodeActionKind.QuickFix]
        assert fix.is_preferred
        assert codes(fix.diagnostics) == ["number-unit-apart"]
        assert "100mbit" in applied(text, fix.edit.changes[editor.uri("a.tcc")])
        [together] = [one for one in offered if one.kind == "source.fixAll.tcc"]
        assert "100mbit" in applied(text, together.edit.changes[editor.uri("a.tcc")])

    session(tmp_path, talk)


def test_a_waiver(tmp_path):
    text = 'link wan {\n    device "eth0"\n    role host\n    bandwidth 20kbit\n}\n'

    async def talk(editor: Editor) -> None:
        [item] = await editor.open("a.tcc", text)
        assert item.code == "bandwidth-implausible"
        [allow] = await editor.client.text_document_code_action_async(
            lsp.CodeActionParams(
                lsp.TextDocumentIdentifier(editor.uri("a.tcc")), item.range,
                lsp.CodeActionContext([item]),
            )
        )  # fmt: skip
        after = applied(text, allow.edit.changes[editor.uri("a.tcc")])
        assert "    # tcc: allow bandwidth-implausible because " in after
        assert codes(await editor.open("b.tcc", after)) == ["waiver-without-reason"]
        said = after.replace("because ", "because it is a modem")
        assert codes(await editor.open("c.tcc", said)) == []

    session(tmp_path, talk)


def test_the_configuration_counts_and_a_wrong_one_is_told(tmp_path):
    policy = 'param up : rate\nlink a { device "eth0"; role host; bandwidth up }\n'
    (tmp_path / "tcc.toml").write_text('set = { up = "20kbit" }\n')

    async def talk(editor: Editor) -> None:
        assert codes(await editor.open("a.tcc", policy)) == ["bandwidth-implausible"]
        (tmp_path / "tcc.toml").write_text('sett = { up = "20kbit" }\n')
        editor.client.text_document_did_save(
            lsp.DidSaveTextDocumentParams(lsp.TextDocumentIdentifier(editor.uri("a.tcc")))
        )
        assert codes(await editor.next("a.tcc")) == []
        assert ["did you mean `set`?" in words for words in editor.shown] == [True]

    session(tmp_path, talk)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ('facts = "none.json"\n', "none.json: cannot read it"),
        ('facts = "tcc.toml"\n', "tcc.toml: not facts"),
        ('target = "none"\n', "none"),
    ],
)
def test_settings_that_cannot_be_used_end_nothing(tmp_path, settings, words):
    (tmp_path / "tcc.toml").write_text(settings)

    async def talk(editor: Editor) -> None:
        assert await editor.open("home.tcc", HOME) == []
        assert [words in shown for shown in editor.shown] == [True]

    session(tmp_path, talk)


def test_a_fragment_is_not_told_of_names_that_others_define(tmp_path):
    async def talk(editor: Editor) -> None:
        assert await editor.open("tiers.tcc", "tier voice { match udp port phones }\n") == []

    session(tmp_path, talk)


def test_broken_text_of_any_kind_ends_nothing(tmp_path):
    texts = ["\n", "{", "}", 'link wan { device "', "\0", "é" * 50, "link {\n" * 40, "tier a as"]

    async def talk(editor: Editor) -> None:
        for number, text in enumerate(texts):
            name = f"{number}.tcc"
            await editor.open(name, text)
            await editor.complete(name, text, len(text))
            await editor.hover(name, text)
        assert await editor.open("good.tcc", HOME) == []

    session(tmp_path, talk)


def test_the_bytes_of_the_protocol(tmp_path):
    """A client written by hand: headers, JSON, and the exit code of the specification."""
    server = subprocess.Popen(
        [sys.executable, "-m", "tcc", "lsp"], cwd=tmp_path, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip

    def send(**message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        server.stdin.flush()

    def answer() -> dict:
        length = 0
        while (line := server.stdout.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(server.stdout.read(length))

    send(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    offers = answer()["result"]["capabilities"]
    for what in ("hover", "completion", "definition", "rename", "documentFormatting", "codeAction"):
        assert offers[f"{what}Provider"]
    send(method="initialized", params={})
    document = {"uri": "untitled:Untitled-1", "languageId": "tcc", "version": 1,
                "text": "link a { device 5 }\n"}  # fmt: skip
    send(method="textDocument/didOpen", params={"textDocument": document})
    told = answer()
    assert told["method"] == "textDocument/publishDiagnostics"
    assert told["params"]["diagnostics"][0]["range"]["start"] == {"line": 0, "character": 16}
    send(id=2, method="shutdown")
    assert answer()["id"] == 2
    send(method="exit")
    with server:  # which closes its pipes
        assert server.wait(timeout=60) == 0


def test_without_the_extra_it_says_what_to_install(tmp_path):
    script = (
        "import sys; sys.modules['pygls'] = None;"
        "from tcc.cli.main import run; sys.exit(run(['lsp'], 'tcc'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 2
    assert "pip install 'tcpolicy[lsp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_editor_counts_as_the_protocol_does():
    """The test's own arithmetic, on a text worked out by hand."""
    edit = lsp.TextEdit(lsp.Range(lsp.Position(0, 3), lsp.Position(0, 4)), "!")
    assert applied("\U0001f3e0abc\n", [edit]) == "\U0001f3e0a!c\n"
    assert asyncio.iscoroutinefunction(Editor.open)
