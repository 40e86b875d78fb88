"""Inputs made to grow: the work that a reader has with twice the text is about twice as much.

Work is counted in calls, of Python and of C, which no other program on the machine changes. What
one call takes (a regular expression that goes back and forth) shows in processor time alone, so
there the limit is wide.
"""

import sys
from collections.abc import Callable
from time import process_time

import pytest

from tcc import importing
from tcc.importing import KINDS, SourceError
from tcc.importing.policy import policy_of
from tcc.passes.vars import VarsError, read_vars
from tcc.source import Source

UNITS = {
    "tc": "tc qdisc replace dev eth{n} root cake bandwidth 5mbit\n",
    "sqm": "config queue 'q{n}'\n\toption interface 'eth{n}'\n\toption upload '5000'\n",
    "sqm-uci": "uci set sqm.q{n}=queue\nuci set sqm.q{n}.interface='eth{n}'\n",
    "qosmate": "config settings 's{n}'\n\toption WAN 'eth{n}'\n",
    "networkd": "[CAKE]\nBandwidth=5M\n",
    "vyos": "set qos interface eth{n} egress 'a{n}'\n",
    "routeros": "/queue simple\nadd name=q{n} target=10.0.0.1 max-limit=5M/5M\n",
    "ifupdown-ng": "iface eth{n}\n\tuse cake\n\tcake-bandwidth 5mbit\n",
}
ONE_LINE = ["'", '"', "\\\n", "$(", "`", " \t", "${a", "{", "[", "a=", "-", "\r", "0", "<<E\n"]
LIMIT = 5
"""Seconds of the processor for 4,000 characters."""


def calls(work: Callable[[], object]) -> int:
    """Return how many functions a piece of work calls."""
    count = 0

    def counting(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def taken_over(kind: str, text: str) -> None:
    try:
        policy_of(importing.read(kind, text, "eth0"), kind, Source("x", text))
    except SourceError:
        return


@pytest.mark.slow
@pytest.mark.parametrize("kind", UNITS)
def test_twice_the_configuration_is_twice_the_work(kind: str) -> None:
    def work(times: int) -> int:
        text = "".join(UNITS[kind].format(n=number) for number in range(times))
        return calls(lambda: taken_over(kind, text))

    work(10)  # what is made once is made
    assert work(80) < 2.5 * work(40)


class Counted(str):
    """A text that counts how often it is split into lines."""

    splits = 0

    def splitlines(self, keepends: bool = False) -> list[str]:
        self.splits += 1
        return super().splitlines(keepends)


def test_remarks_find_their_lines_without_splitting_the_source_each_time() -> None:
    text = Counted("\\\n" * 50)
    found = policy_of(importing.read("sqm", text, "eth0"), "sqm", Source("x", text)).found
    assert len(found) >= 50
    assert text.splits < 5


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_character_over_and_over_makes_a_reader_wander(kind: str) -> None:
    for unit in ONE_LINE:
        started = process_time()
        taken_over(kind, unit * (4_000 // len(unit)))
        assert process_time() - started < LIMIT, unit


def test_aliases_of_yaml_do_not_blow_up(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 40)]
    path = tmp_path / "values.yaml"
    path.write_text("\n".join(lines))  # 9**40 times x

    def refused() -> None:
        with pytest.raises(VarsError):
            read_vars(str(path))

    assert calls(refused) < 100_000
