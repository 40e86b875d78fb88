"""`include`: where files are looked for, in which order, how often."""

import os

from tcc import api


def write(folder, **files):
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".tcc")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return str(folder / "main.tcc")


def test_names_are_relative_to_the_file_that_includes(tmp_path):
    main = write(
        tmp_path,
        main='include "sub/a.tcc"\nlink wan { device "x"; bandwidth up }\n',
        sub__a='include "b.tcc"\n',
        sub__b="let up = 5mbit\n",
    )
    built = api.load(main)
    assert built.found == ()
    assert built.policy.links[0].egress.bandwidth.rate == 5_000_000
    assert [os.path.relpath(tree.source.path, tmp_path) for tree in built.trees] == [
        "main.tcc", "sub/a.tcc", "sub/b.tcc",
    ]  # fmt: skip


def test_clauses_stand_where_the_include_stands(tmp_path):
    """The first tier in the order of the text wins, so the order matters."""
    main = write(
        tmp_path,
        main='tier bulk { match dscp 1 }\ninclude "a.tcc"\ntier video { match dscp 3 }\n',
        a="tier voice { match dscp 2 }\n",
    )
    assert [tier.name for tier in api.load(main).policy.tiers] == ["bulk", "voice", "video"]


def test_a_file_is_read_once_by_whatever_name(tmp_path):
    main = write(
        tmp_path,
        main='include "a.tcc"\ninclude "b.tcc"\ninclude "link.tcc"\n',
        a='include "common.tcc"\n',
        b='include "./common.tcc"\n',
        common="let up = 5mbit\n",
    )
    (tmp_path / "link.tcc").symlink_to("common.tcc")
    assert api.load(main).found == ()


def test_errors_are_in_the_file_where_they_are(tmp_path):
    main = write(tmp_path, main='include "a.tcc"\n', a="let a = 5mbit / 0\n")
    [error] = api.load(main).found
    assert error.span.path == str(tmp_path / "a.tcc")


def test_files_that_include_one_another_without_end(tmp_path):
    files = {f"f{i}": f'include "f{i + 1}.tcc"\n' for i in range(60)}
    main = write(tmp_path, main='include "f0.tcc"\n', f60="let a = 5mbit\n", **files)
    assert [error.code for error in api.load(main).found] == ["include-too-deep"]


def test_too_many_files(tmp_path):
    files = {f"f{i}": "\n" for i in range(1100)}
    main = write(tmp_path, main="".join(f'include "{name}.tcc"\n' for name in files), **files)
    assert {error.code for error in api.load(main).found} == {"include-too-many"}


def test_pipes_and_devices_are_not_opened(tmp_path):
    main = write(tmp_path, main='include "pipe.tcc"\n')
    os.mkfifo(tmp_path / "pipe.tcc")  # opening it would wait for ever
    assert [error.code for error in api.load(main).found] == ["include-not-a-policy"]


def test_a_link_does_not_lead_to_files_that_are_no_policies(tmp_path):
    secret = tmp_path / "shadow"
    secret.write_text("root:$6$salt\n")
    main = write(tmp_path, main='include "innocent.tcc"\n')
    (tmp_path / "innocent.tcc").symlink_to(secret)
    built = api.load(main)
    assert [error.code for error in built.found] == ["include-not-a-policy"]
    assert [source.path for source in built.sources.values()] == [main]


def test_an_included_file_that_is_not_text(tmp_path):
    main = write(tmp_path, main='include "bad.tcc"\n')
    (tmp_path / "bad.tcc").write_bytes(b"\xff\xfe")
    [error] = api.load(main).found
    assert error.code == "include-missing"
    assert error.span.path == main
