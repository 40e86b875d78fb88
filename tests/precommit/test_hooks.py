"""The hooks of `.pre-commit-hooks.yaml`, run by pre-commit itself in a repository of their own."""

import resource
import subprocess

import pytest

from tests.precommit.consumer import Consumer, durations, git

pytestmark = pytest.mark.slow

GOOD = """\
link wan {
    device  "eth0"
    framing ethernet
    role    router
    egress  { bandwidth 18mbit }
}
"""
BAD = GOOD.replace("18mbit", "18mbps")
UNTIDY = GOOD.replace("    framing ", "  framing ")


@pytest.fixture(scope="module")
def consumer(tmp_path_factory: pytest.TempPathFactory) -> Consumer:
    made = Consumer(tmp_path_factory.mktemp("precommit"))
    made.install()
    return made


def commits(consumer: Consumer) -> list[str]:
    return git(consumer.folder, "log", "--format=%s").splitlines()


def test_a_good_policy_passes(consumer):
    outcome = consumer.commit("home.tcc", GOOD)
    assert outcome.returncode == 0, outcome.stderr
    assert "tcc lint" in outcome.stderr
    assert "Passed" in outcome.stderr
    assert "Change home.tcc" in commits(consumer)


def test_a_bad_policy_is_stopped_with_the_place_the_reason_and_the_cure(consumer):
    outcome = consumer.commit("branch.tcc", BAD)
    assert outcome.returncode != 0
    assert "Change branch.tcc" not in commits(consumer)
    for part in ("branch.tcc:5:25", "error[number-unit]", "18mbps", "18mbit"):
        assert part in outcome.stderr
    assert "Traceback" not in outcome.stderr
    assert consumer.commit("branch.tcc", GOOD).returncode == 0


def test_json_is_checked_and_not_laid_out(consumer):
    outcome = consumer.commit("site.tcc.json", '{"version": 1, "links": [{"name": "wan"}]}\n')
    assert outcome.returncode != 0
    assert "json-missing" in outcome.stderr
    (consumer.folder / "site.tcc.json").unlink()


def test_an_untidy_policy_is_laid_out_and_stopped_once(consumer):
    assert consumer.commit("untidy.tcc", UNTIDY).returncode != 0
    assert (consumer.folder / "untidy.tcc").read_text() == GOOD
    assert consumer.commit("untidy.tcc", GOOD).returncode == 0


def test_an_included_file_alone_is_looked_at_in_what_includes_it(consumer):
    assert consumer.commit("tcc.toml", 'set = { up = "18mbit" }\n').returncode == 0
    assert (
        consumer.commit("tiers.tcc", "tier voice { match udp remote port phones }\n").returncode
        == 0
    )
    including = 'include "tiers.tcc"\nparam up : rate\nlet phones = 3478\n\n' + GOOD.replace(
        "18mbit", "up"
    )
    done = consumer.commit("including.tcc", including)
    assert done.returncode == 0, done.stderr
    outcome = consumer.commit("tiers.tcc", "tier voice { match udp remote port fones }\n")
    assert outcome.returncode != 0
    assert "tiers.tcc:1:36: error[unknown-name]" in outcome.stderr
    good = "tier voice { match udp remote port phones, 5060 }\n"
    assert consumer.commit("tiers.tcc", good).returncode == 0


def test_many_policies_in_one_run(consumer):
    for number in range(40):
        (consumer.folder / f"site{number}.tcc").write_text(GOOD)
    git(consumer.folder, "add", "-A")
    outcome = consumer.pre_commit("run", "--all-files")
    assert outcome.returncode == 0, outcome.stdout
    assert set(durations(outcome.stdout)) == {"tcc-lint", "tcc-fmt"}


def test_a_run_takes_less_than_a_second_of_cpu(consumer):
    tool = [str(consumer.tool()), "lint", "home.tcc"]
    subprocess.run(tool, cwd=consumer.folder, check=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(tool, cwd=consumer.folder, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 1
