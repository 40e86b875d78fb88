"""The file of results: all or nothing, once each, and nobody else's."""

import sqlite3
import subprocess
from contextlib import closing

import pytest

from tcc.sweep.store import Row, Store, StoreError


def row(key: str, result: str = "{}") -> Row:
    return Row(key, "d", "{}", "text", 1, "0.1.0", "p", result)


def test_a_result_is_there_once_whoever_came_first(tmp_path):
    path = str(tmp_path / "a.sqlite")
    with closing(Store(path)) as one, closing(Store(path)) as other:
        one.keep_policy("d", "text")
        other.keep_policy("d", "text")
        assert one.append([row("a", "first"), row("b")]) == 2
        assert other.append([row("a", "second"), row("c")]) == 1
        assert one.results(["a", "b", "c", "x"]) == {"a": "first", "b": "{}", "c": "{}"}


def test_many_results_are_found(tmp_path):
    with closing(Store(str(tmp_path / "a.sqlite"))) as store:
        store.append([row(str(number)) for number in range(2500)])
        assert len(store.results([str(number) for number in range(3000)])) == 2500


def test_a_failed_transaction_leaves_nothing(tmp_path):
    path = str(tmp_path / "a.sqlite")
    with closing(Store(path)) as store:
        with pytest.raises(StoreError):
            store.append([row("a"), row("b")._replace(result=None)])
        assert store.results(["a", "b"]) == {}
        store.append([row("a")])
        assert store.results(["a", "b"]) == {"a": "{}"}


def test_without_a_file_results_are_kept_in_memory():
    with closing(Store(None)) as store:
        store.append([row("a")])
        assert store.results(["a"]) == {"a": "{}"}


def test_at_rest_there_is_one_file(tmp_path):
    with closing(Store(str(tmp_path / "a.sqlite"))) as store:
        store.append([row("a")])
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


def test_others_can_read_it_while_a_sweep_has_it_open(tmp_path):
    path = str(tmp_path / "a.sqlite")
    with closing(Store(path)) as store:
        store.append([row("a")])
        shown = subprocess.run(
            ["python3", "-c", f"import sqlite3; print(*sqlite3.connect({path!r})"
             ".execute('SELECT key FROM run').fetchone())"],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    assert shown.stdout == "a\n"


def test_a_file_of_something_else_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "policy.tcc"
    text.write_text("let up = 1mbit\n" * 100)
    with pytest.raises(StoreError, match="not a database"):
        Store(str(text))
    assert text.read_text() == "let up = 1mbit\n" * 100


def test_a_database_of_something_else_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (x)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="something else"):
        Store(str(path))
    assert path.read_bytes() == before


def test_a_format_of_later_times_is_refused(tmp_path):
    path = tmp_path / "a.sqlite"
    Store(str(path)).close()
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(StoreError, match="format 2"):
        Store(str(path))


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(StoreError, match="unable to open"):
        Store(str(tmp_path / "none" / "a.sqlite"))
