"""What the manual says that lint does not see, it does not see."""

import pytest

from tests.checks.policies import codes
from tests.checks.silent import SILENT


@pytest.mark.parametrize("kind", SILENT)
def test_nothing_is_said(kind):
    assert codes(SILENT[kind].policy) == set()
