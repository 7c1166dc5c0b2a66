"""Acts of a table in words."""

from __future__ import annotations

import pytest

from client.session.acts import lines_of
from core.log import Away, Entry


def entry(act: Away) -> Entry:
    return Entry(1, 0, 0, "", "", b"", (), act, 0, {}, b"", b"", b"")


@pytest.mark.parametrize(("ms", "told"), [
    (400, "less than a second"), (1_000, "1 second"), (59_999, "59 seconds"), (60_000, "1 minute"), (7_199_999, "119 minutes"),
    (7_200_000, "2 hours"), (172_799_999, "47 hours"), (172_800_000, "2 days"),
])
def test_how_long_a_server_was_away_is_told_in_a_unit_that_fits(ms: int, told: str) -> None:
    line, = lines_of([entry(Away(ms))], {})
    assert str(line.text) == f"the server was away for {told}; no clock ran"
