"""What `guest_cake.py` found out under a kernel that has every kind."""

from pathlib import Path

GUEST = Path(__file__).with_name("guest_cake.py")
LOST = {"codel", "fq_pie", "netem", "prio", "htb", "red"}


def test_every_way_there_and_back_is_exact(guest_report):
    cases = {
        name: case
        for name, case in guest_report["cases"].items()
        if name.split(" -> ")[0] not in LOST
    }
    assert len(cases) == 22
    for name, case in cases.items():
        assert case["first"] == "DONE", name
        assert case["second"] == "UNCHANGED", name
        assert case["back"] == "DONE", name
        assert not [said for said in case["notes"] if "somebody else" in said], name
        assert case["exact"], name


def test_every_refusal_of_every_message_is_undone_at_once(guest_report):
    walked = {
        name: case["refusals"] for name, case in guest_report["cases"].items() if "refusals" in case
    }
    assert len(walked) == 12
    for name, ended in walked.items():
        assert set(ended) == {"RESTORED exact"}, name
        assert ended["RESTORED exact"] >= (3 if "fq_codel" in name.split(" -> ")[1] else 1), name


def test_what_could_not_be_put_back_is_refused_untouched(guest_report):
    refused = {name.split(" -> ")[0]: case for name, case in guest_report["cases"].items()
               if "refused" in case}  # fmt: skip
    assert set(refused) == LOST
    for name, case in refused.items():
        assert case["untouched"], name
        assert all(text.startswith(f"cannot-restore: {name} 1: on v0") for text in case["refused"])


def test_a_killed_apply_is_taken_back_from_every_message(guest_report):
    *killed, finished = guest_report["killed"]
    assert finished[0] == 0
    first, *others = [halfway for _, halfway, _ in killed]
    assert not first
    assert others
    assert all(others)
    assert all(code == 0 and exact for code, _, exact in killed)
