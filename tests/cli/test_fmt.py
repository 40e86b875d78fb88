"""`tcc fmt`."""

import os

UGLY = 'let   a=5mbit   # as sold\nlink wan{device "eth0"; bandwidth a}\n'
FINE = 'let a = 5mbit  # as sold\nlink wan { device "eth0"; bandwidth a }\n'


def laid_out(tcc, text):
    return tcc("fmt", "-", stdin=text).out


def test_standard_input_to_standard_output(tcc):
    done = tcc("fmt", "-", stdin=UGLY)
    assert done.code == 0
    assert laid_out(tcc, done.out) == done.out
    assert "let a = 5mbit" in done.out
    assert "# as sold" in done.out


def test_files_are_written_once(tcc, here):
    (here / "a.tcc").write_text(UGLY)
    expected = laid_out(tcc, UGLY)
    code, out, err = tcc("fmt", "a.tcc")
    assert (code, out, err) == (0, "", "a.tcc laid out\n")
    assert (here / "a.tcc").read_text() == expected
    before = (here / "a.tcc").stat()
    assert tcc("fmt", "a.tcc").err == ""
    after = (here / "a.tcc").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_check_writes_nothing(tcc, here):
    (here / "a.tcc").write_text(UGLY)
    code, _, err = tcc("fmt", "--check", "a.tcc")
    assert (code, err) == (1, "a.tcc would change\n")
    assert (here / "a.tcc").read_text() == UGLY
    tcc("fmt", "a.tcc")
    assert tcc("fmt", "--check", "a.tcc").code == 0


def test_diff(tcc, here):
    (here / "a.tcc").write_text(UGLY)
    code, out, _ = tcc("fmt", "--diff", "a.tcc")
    assert code == 1
    assert out.startswith("--- a.tcc\n+++ a.tcc\n@@ ")
    assert "\n-let   a=5mbit" in out
    assert "\n+let a = 5mbit" in out
    assert (here / "a.tcc").read_text() == UGLY
    tcc("fmt", "a.tcc")
    assert tcc("fmt", "--diff", "a.tcc") == (0, "", "")


def test_mode_and_links_stay(tcc, here):
    (here / "real.tcc").write_text(UGLY)
    os.chmod(here / "real.tcc", 0o600)
    (here / "link.tcc").symlink_to("real.tcc")
    assert tcc("fmt", "link.tcc").code == 0
    assert (here / "link.tcc").is_symlink()
    assert (here / "real.tcc").stat().st_mode & 0o777 == 0o600
    assert (here / "real.tcc").read_text() == laid_out(tcc, UGLY)
    assert sorted(os.listdir(here)) == ["link.tcc", "real.tcc"]  # nothing is left behind


def test_line_endings_stay(tcc, here):
    (here / "a.tcc").write_bytes(UGLY.replace("\n", "\r\n").encode())
    assert tcc("fmt", "a.tcc").code == 0
    data = (here / "a.tcc").read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") > 0
    assert data.replace(b"\r\n", b"\n").decode() == laid_out(tcc, UGLY)
    assert tcc("fmt", "--check", "a.tcc").code == 0


def test_syntax_errors_leave_the_file_alone(tcc, here):
    (here / "a.tcc").write_text("let a = (5mbit\n")
    code, out, err = tcc("fmt", "a.tcc")
    assert (code, out) == (2, "")
    assert "parenthesis-unclosed" in err
    assert (here / "a.tcc").read_text() == "let a = (5mbit\n"


def test_a_file_with_other_errors_is_laid_out(tcc, here):
    """Layout needs no meaning."""
    (here / "a.tcc").write_text("nonsense   5\n")
    assert tcc("fmt", "a.tcc").code == 0
    assert (here / "a.tcc").read_text() == "nonsense 5\n"


def test_files_that_cannot_be_read_or_are_json(tcc, here):
    assert tcc("fmt", "none.tcc").code == 2
    (here / "a.tcc.json").write_text("{}")
    assert tcc("fmt", "a.tcc.json").code == 2


def test_a_file_that_cannot_be_written(tcc, here, monkeypatch):
    (here / "a.tcc").write_text(UGLY)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    code, _, err = tcc("fmt", "a.tcc")
    assert (code, err) == (2, "a.tcc: No space left on device\n")
    assert (here / "a.tcc").read_text() == UGLY
    assert os.listdir(here) == ["a.tcc"]


def test_directories(tcc, here):
    (here / "sub").mkdir()
    (here / "sub" / "a.tcc").write_text(UGLY)
    (here / "sub" / "b.tcc.json").write_text("{}")
    assert tcc("fmt", ".").code == 0
    assert (here / "sub" / "a.tcc").read_text() == laid_out(tcc, UGLY)
