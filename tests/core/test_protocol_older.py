"""Frames between programs of different versions: what one has and the other doesn't know."""

from __future__ import annotations

import msgspec
import pytest

from core import protocol
from core.errors import BadInput


class OlderPerson(msgspec.Struct, frozen=True):
    name: str
    sides: tuple[str, ...]
    here: bool
    since_ms: int


class OlderPresent(msgspec.Struct, frozen=True, tag="present", tag_field="frame"):
    game: str
    people: tuple[OlderPerson, ...]


def test_who_is_here_is_told_to_and_by_programs_that_know_nothing_of_programs() -> None:
    older = OlderPresent("g", (OlderPerson("Anna", ("red",), True, 7),))
    newer = protocol.Present("g", (protocol.Person("Anna", ("red",), True, 7, ("rasputitsa 0.1.0",)),))
    assert msgspec.msgpack.decode(protocol.encode(newer), type=OlderPresent) == older
    without = protocol.Present("g", (protocol.Person("Anna", ("red",), True, 7),))
    assert protocol.decode_from_server(msgspec.msgpack.encode(older)) == without
    assert protocol.encode(without) == msgspec.msgpack.encode(older)


@pytest.mark.parametrize("said", ["a\nb", "<img>", "Аnna", "x" * (protocol.LONGEST_PROGRAM + 1)])
def test_a_server_can_not_call_a_program_whatever_it_likes(said: str) -> None:
    with pytest.raises(BadInput):
        protocol.decode_from_server(protocol.encode(protocol.Present("g", (protocol.Person("Anna", (), True, 7, (said,)),))))
