"""Short ways to build policies from text."""

from collections.abc import Callable

import pytest

from tcc import api
from tcc.passes import Built
from tcc.source import Source


@pytest.fixture
def build() -> Callable[..., Built]:
    """Build a text that has no error."""

    def building(text: str, values: dict[str, object] | None = None) -> Built:
        built = api.load(Source("policy.tcc", text), values)
        assert [f"{item.code}: {item.message}" for item in built.found] == []
        return built

    return building


@pytest.fixture
def errors() -> Callable[..., list[tuple[str, str]]]:
    """Return the code of each finding and the words that it points at."""

    def finding(text: str, values: dict[str, object] | None = None) -> list[tuple[str, str]]:
        built = api.load(Source("policy.tcc", text), values)
        return [
            (
                item.code,
                built.sources[item.span.path].text[item.span.start : item.span.end]
                if item.span
                else "",
            )
            for item in built.found
        ]

    return finding
