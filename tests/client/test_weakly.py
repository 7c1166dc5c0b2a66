"""What is owned knows its owner without holding him."""

from __future__ import annotations

from weakref import ref

import pytest

from client.weakly import Owner


class Table:
    pass


class Band:
    table = Owner[Table]()

    def __init__(self, table: Table) -> None:
        self.table = table


def test_what_is_owned_names_its_owner_for_as_long_as_he_is_there_and_holds_him_not() -> None:
    table, other = Table(), Table()
    band, another = Band(table), Band(other)
    assert (band.table, another.table) == (table, other)
    held = ref(table)
    del table
    assert held() is None
    with pytest.raises(AssertionError, match="gone before"):
        assert band.table
    assert another.table is other
