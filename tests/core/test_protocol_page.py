"""docs/protocol.md against core/protocol.py: every frame is described, in its direction, and every field stands in the list of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import msgspec
import pytest
from msgspec import inspect

from core import protocol
from core.log import AnyAct

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text(encoding="utf-8")
PARTS = (
    protocol.Member, protocol.OpenInvite, protocol.SeatLine, protocol.GameLine, protocol.Person, protocol.ChatLine, protocol.KeptAnswer,
)
ACTS = get_args(AnyAct)
FROM = {"client": get_args(protocol.FromClient), "server": get_args(protocol.FromServer)}


def described(sender: str) -> set[str]:
    """Return the frames in the first column of the page's tables of what a sender sends."""
    tables = re.findall(rf"^\| from the {sender} \| meaning \|\n\|---\|---\|\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    cells = [row.split("|")[1].partition("…")[0] for table in tables for row in table.splitlines()]
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def called(kind: inspect.Type) -> str:
    """Return what the page calls a type of msgpack."""
    match kind:
        case inspect.StrType():
            return "text"
        case inspect.BytesType():
            return "bytes"
        case inspect.IntType():
            return "number"
        case inspect.BoolType():
            return "yes or no"
        case inspect.LiteralType(values=values):
            return " or ".join(f"`{value}`" for value in values)
        case inspect.DictType(value_type=value):
            return f"map of {called(value)}"
        case inspect.VarTupleType(item_type=item):
            return f"list of {called(item)}"
        case inspect.UnionType(types=kinds):
            return " or ".join(dict.fromkeys(called(one) for one in kinds))
        case inspect.NoneType():
            return "nothing"
        case inspect.StructType(cls=cls) if cls.__struct_config__.tag is None or cls.__module__ == protocol.__name__:
            return cls.__name__
        case inspect.StructType():
            return "act"
        case _:
            raise AssertionError(f"no word for {kind}")


def line_of(cls: type[msgspec.Struct]) -> str:
    """Return how a frame, or a part of one, stands in the page's list."""
    info = inspect.type_info(cls)
    assert isinstance(info, inspect.StructType)
    name = f"`{info.tag}`" if info.tag else cls.__name__
    fields = (f"`{field.encode_name}`{'' if field.required else '?'} {called(field.type)}" for field in info.fields)
    return f"- {name}: {', '.join(fields) or 'nothing'}"


@pytest.mark.parametrize("sender", FROM)
def test_every_frame_is_described_and_every_described_one_is_there(sender: str) -> None:
    assert described(sender) == {cls.__struct_config__.tag for cls in FROM[sender]}


def test_the_list_of_fields_is_that_of_the_structs() -> None:
    section = PAGE.partition("\n## All fields\n")[2].partition("\n## ")[0]
    listed = [line for line in section.splitlines() if line.startswith("- ")]
    assert listed == [line_of(cls) for cls in (*FROM["client"], *FROM["server"], *PARTS, *ACTS)]


def test_the_version_is_that_of_the_program() -> None:
    assert f"\nVersion {protocol.VERSION}. " in PAGE
