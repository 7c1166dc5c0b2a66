"""The table of which function answers which frame."""

from __future__ import annotations

from types import ModuleType
from typing import get_args

import pytest

from core import protocol
from server import handlers, play, service


def test_each_frame_of_a_client_has_its_handler() -> None:
    assert set(handlers.collected(service.MODULES)) == set(get_args(protocol.FromClient))


def test_no_frame_is_answered_twice() -> None:
    second = ModuleType("second")
    second.HANDLERS = dict(play.HANDLERS)  # type: ignore[attr-defined]
    with pytest.raises(AssertionError, match="Give has a second handler in second"):
        handlers.collected([play, second])
