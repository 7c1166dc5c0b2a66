"""Where a server is: what is an address, and which spellings are one place."""

from __future__ import annotations

import pytest

from core.address import Place, parse
from core.errors import BadInput

KEY = "73aufbtt62x6retewoahgrformtj2es2ka4fkibgq7nvu4jik6pq"


@pytest.mark.parametrize(("host", "is_here"), [
    ("127.0.0.1", True), ("127.8.9.10", True), ("localhost", True), ("LocalHost.", True), ("[::1]", True), ("[0:0:0:0:0:0:0:1]", True),
    ("127.evil.example", False), ("127.0.0.1.evil.example", False), ("localhost.evil.example", False), ("10.0.0.7", False),
    ("[fe80::1%eth0]", False), ("0.0.0.0", False),
])
def test_only_the_loopback_is_this_machine(host: str, is_here: bool) -> None:
    assert parse("ADDRESS", f"{host}:5757").is_here == is_here


@pytest.mark.parametrize(("text", "place"), [
    ("tcp://Club:5757", "club:5757"), ("TCP://club.:05757", "club:5757"), ("[FE80:0::1%Eth0]:5757", "[fe80::1%Eth0]:5757"),
    ("tcp://[2001:DB8::0:1]:5757", "[2001:db8::1]:5757"), ("10.0.0.7:5757", "10.0.0.7:5757"),
])
def test_a_place_has_one_spelling(text: str, place: str) -> None:
    assert parse("ADDRESS", text).place == place


@pytest.mark.parametrize("edge", [" ", "\n", "\r\n", "\t "])
def test_a_link_is_taken_with_what_was_pasted_at_its_edges(edge: str) -> None:
    link = f"rasputitsa://club:5757/{KEY}?invite=abcd-efgh"
    assert parse("ADDRESS", f"{edge}{link}{edge}") == Place("club", 5757, KEY, "abcd-efgh")


@pytest.mark.parametrize("text", [
    "club:\u0665\u0667\u0665\u0667", "club:\uff15\uff17", "club:57 57", "club:5757\nclub:5758", "club:65536", "club:0",
])
def test_a_port_is_a_number_of_plain_digits(text: str) -> None:
    with pytest.raises(BadInput, match="ADDRESS: expected tcp://HOST:PORT"):
        parse("ADDRESS", text)
