"""JSON text with the place of every value, so that messages can point into it."""

import re
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any

from tcc.ir import Path
from tcc.source import Source, Span

DEEPEST = 100
_BLANK = re.compile(r"[ \t\r\n]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,30})(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")
_WORDS = {"true": True, "false": False, "null": None}
_WORD = re.compile("true|false|null")


class JsonError(Exception):
    """Text that is not JSON; `offset` is where it goes wrong."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset


class JsonText:
    """Reads one JSON text. `spans` maps the path of each value to its place.

    The path of a key itself is that of its value followed by `KEY`.
    """

    KEY = "\0key"

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.spans: dict[Path, Span] = {}

    def read(self) -> Any:  # noqa: ANN401  (whatever JSON holds)
        """Return the value of the whole text.

        Raises:
            JsonError: the text is not JSON, nests too deeply, or has a key twice.
        """
        value, at = self._value(self._skip(0), ())
        if at < len(self.text):
            raise JsonError("expected the end of the text", at)
        return value

    def _skip(self, at: int) -> int:
        found = _BLANK.match(self.text, at)
        return found.end() if found else at

    def _value(self, at: int, path: Path) -> tuple[Any, int]:
        if len(path) > DEEPEST:
            raise JsonError("the text nests too deeply", at)
        start, letter = at, self.text[at : at + 1]
        value: Any
        if letter == "{":
            value, at = self._object(at + 1, path)
        elif letter == "[":
            value, at = self._array(at + 1, path)
        elif letter == '"':
            value, at = self._string(at)
        elif number := _NUMBER.match(self.text, at):
            value, at = _number(number), number.end()
        elif word := _WORD.match(self.text, at):
            value, at = _WORDS[word[0]], word.end()
        else:
            raise JsonError("expected a JSON value", at)
        self.spans[path] = Span(self.source.path, start, at)
        return value, self._skip(at)

    def _string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except ValueError as problem:
            message = str(problem).partition(":")[0]
            raise JsonError(message[:1].lower() + message[1:], at) from problem
        return text, end

    def _object(self, at: int, path: Path) -> tuple[dict[str, Any], int]:
        found: dict[str, Any] = {}
        at = self._skip(at)
        if self.text[at : at + 1] == "}":
            return found, at + 1
        while True:
            if self.text[at : at + 1] != '"':
                raise JsonError("expected a name in quotes", at)
            start = at
            name, at = self._string(at)
            self.spans[*path, name, self.KEY] = Span(self.source.path, start, at)
            if name in found:
                raise JsonError(f"the name {name!r} is given twice", start)
            at = self._skip(at)
            if self.text[at : at + 1] != ":":
                raise JsonError("expected `:`", at)
            found[name], at = self._value(self._skip(at + 1), (*path, name))
            if self.text[at : at + 1] == "}":
                return found, at + 1
            at = self._comma(at, "}")

    def _array(self, at: int, path: Path) -> tuple[list[Any], int]:
        found: list[Any] = []
        at = self._skip(at)
        if self.text[at : at + 1] == "]":
            return found, at + 1
        while True:
            value, at = self._value(at, (*path, len(found)))
            found.append(value)
            if self.text[at : at + 1] == "]":
                return found, at + 1
            at = self._comma(at, "]")

    def _comma(self, at: int, end: str) -> int:
        if self.text[at : at + 1] != ",":
            raise JsonError(f"expected `,` or `{end}`", at)
        return self._skip(at + 1)


def _number(found: re.Match[str]) -> int | float:
    return float(found[0]) if found[1] or found[2] else int(found[0])


def json_path(path: Path) -> str:
    """Write a path as JSON paths are written: `$.links[0].device`."""
    return "$" + "".join(
        f"[{part}]"
        if isinstance(part, int)
        else f".{part}"
        if re.fullmatch(r"\w+", part)
        else f"[{part!r}]"
        for part in path
    )
