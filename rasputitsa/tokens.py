"""The tokens by which servers know a name again, one file each in the user's data folder, which nobody else can look into."""

from __future__ import annotations

import hashlib
import secrets
from pathlib import Path

import platformdirs

from client.connection.line import TOKEN_BYTES
from client.writing import write_whole


def token_of(address: str, name: str) -> bytes:
    """Return the token of a name on a server, a new one the first time; it is kept before any server hears of it."""
    file = _file(address, name)
    if file.is_file():
        return file.read_bytes()
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    token = secrets.token_bytes(TOKEN_BYTES)
    write_whole(file, token)
    return token


def _file(address: str, name: str) -> Path:
    which = hashlib.sha256(f"{address}\0{name}".encode()).hexdigest()[:32]
    return platformdirs.user_data_path("rasputitsa", appauthor=False) / "tokens" / which
