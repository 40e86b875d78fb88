"""Documents after a crash at any byte."""

import json

import pytest

from tcc.apply import stored
from tcc.apply.stored import DamagedError

DATA = {"devices": ["eth0", "wän"], "handle": "1:", "options": "ff00"}


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "journal"
    stored.write(path, "change-1", DATA)
    assert stored.read(path, "change-1") == DATA
    assert [entry.name for entry in tmp_path.iterdir()] == ["journal"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_no_document_is_none(tmp_path):
    assert stored.read(tmp_path / "journal", "change-1") is None


def test_cut_short_at_any_byte_it_is_damaged_and_never_believed(tmp_path):
    path = tmp_path / "journal"
    stored.write(path, "change-1", DATA)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(DamagedError):
            stored.read(path, "change-1")


def test_any_flipped_bit_is_found(tmp_path):
    path = tmp_path / "journal"
    stored.write(path, "change-1", DATA)
    whole = path.read_bytes()
    for at in range(len(whole)):
        for bit in range(8):
            path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :])
            with pytest.raises(DamagedError):
                stored.read(path, "change-1")


def test_a_writer_that_dies_at_any_byte_leaves_the_old_document(tmp_path):
    path = tmp_path / "journal"
    stored.write(path, "change-1", DATA)
    stored.write(tmp_path / "other", "change-1", {"new": True})
    for length in range(len((tmp_path / "other").read_bytes()) + 1):
        (tmp_path / "journal.new").write_bytes((tmp_path / "other").read_bytes()[:length])
        assert stored.read(path, "change-1") == DATA
    stored.write(path, "change-1", {"newer": True})  # what was left beside is no hindrance
    assert stored.read(path, "change-1") == {"newer": True}


def test_a_document_of_another_kind_is_not_taken_for_this_one(tmp_path):
    stored.write(tmp_path / "x", "owned-1", {})
    with pytest.raises(DamagedError, match="owned-1"):
        stored.read(tmp_path / "x", "change-1")


def test_a_link_laid_beside_is_not_followed(tmp_path):
    (tmp_path / "victim").write_text("precious")
    (tmp_path / "journal.new").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match=r"journal\.new"):
        stored.write(tmp_path / "journal", "change-1", DATA)
    assert (tmp_path / "victim").read_text() == "precious"


def test_people_can_read_it(tmp_path):
    stored.write(tmp_path / "x", "change-1", DATA)
    head, _, body = (tmp_path / "x").read_text().partition("\n")
    assert head.split()[:2] == ["tcc-state", "change-1"]
    assert json.loads(body) == DATA
