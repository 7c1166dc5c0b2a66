"""What a hostile host can bring about unseen in a game with witnessed dice: nothing, as far as is looked; and the looking sees."""

from __future__ import annotations

import pytest

from tests.adversary.explore import explore

BASES = ("", "shown", "blue", "blue shown", "left shown", "beside", "beside limited shown", "pool shown", "clock shown", "blue clock shown")


@pytest.mark.parametrize("base", BASES)
def test_nothing_is_brought_about_unseen(base: str) -> None:
    assert [str(hole) for hole in explore(base, depth=2).holes] == []
