"""Keys, and the bytes that they sign."""

import itertools

import pytest
import zmq
from hypothesis import given
from hypothesis import strategies as st
from zmq.utils import z85

from core import identity
from core.errors import BadInput
from core.identity import Identity

ANNA, BORIS = Identity(b"a" * 32), Identity(b"b" * 32)


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_a_signature_is_good_for_its_key_and_message_only(seed: bytes, message: bytes):
    somebody = Identity(seed)
    signature = somebody.sign(message)
    assert identity.verify(somebody.key, message, signature)
    assert not identity.verify(somebody.key, message + b"\0", signature)
    assert not identity.verify(ANNA.key, message, signature)
    for at in (0, 31, 32, 63):
        bent = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
        assert not identity.verify(somebody.key, message, bent)


def test_the_key_of_the_first_test_vector_of_rfc_8032():
    seed = bytes.fromhex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    public = bytes.fromhex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    signature = bytes.fromhex(
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
    )
    somebody = Identity(seed)
    assert identity.key_bytes(somebody.key) == public
    assert somebody.sign(b"") == signature


@given(st.binary(min_size=32, max_size=32))
def test_the_curve_key_belongs_to_the_curve_secret(seed: bytes):
    somebody = Identity(seed)
    secret = z85.encode(somebody.curve_secret())
    assert z85.decode(zmq.curve_public(secret)) == identity.curve_key(somebody.key)


@given(st.binary(min_size=32, max_size=32))
def test_each_key_has_one_text(public: bytes):
    assert identity.key_bytes(identity.key_text(public)) == public


@pytest.mark.parametrize("text", ["", "a" * 51, "a" * 53, "a" * 51 + "b", ANNA.key.upper(), "1" * 52, "ä" * 52, ANNA.key[:-1] + "="])
def test_what_is_no_key_is_refused_with_what_was_expected(text: str):
    with pytest.raises(BadInput, match="52 letters"):
        identity.key_bytes(text)
    assert not identity.verify(text, b"", bytes(64))


def test_a_point_of_small_order_is_nobodys_key():
    with pytest.raises(BadInput, match="Ed25519"):
        identity.curve_key(identity.key_text((1).to_bytes(32, "little")))


def test_no_two_messages_share_their_bytes():
    fields = [b"", b"a", b"ab", b"b", b"\0\0\0\1a"]
    messages = [identity.packed(b"d", *some) for n in range(4) for some in itertools.product(fields, repeat=n)]
    assert len(set(messages)) == len(messages)
    same = [
        identity.order_message("g", "s", 1, bytes(32), b"o"),
        identity.order_message("gs", "", 1, bytes(32), b"o"),
        identity.order_message("g", "s", 11, bytes(32), b"o"),
        identity.link_message("g", 1, bytes(32), b"l"),
        identity.chain_message("g", bytes(32), bytes(32), 1),
    ]
    assert len(set(same)) == len(same)


def test_what_is_derived_differs_by_purpose_and_person_and_shows_no_key():
    found = {who.derived(what) for who in (ANNA, BORIS) for what in ("dice g1", "dice g2")}
    assert len(found) == 4
    assert b"a" * 32 not in found
    assert "61616161" not in repr(ANNA)
    assert repr(ANNA) == f"Identity({ANNA.key})"


def test_a_fingerprint_is_five_groups_of_four():
    assert [len(group) for group in identity.fingerprint(ANNA.key).split("-")] == [4] * 5
    assert identity.fingerprint(ANNA.key) != identity.fingerprint(BORIS.key)
