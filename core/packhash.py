"""The hash of a scenario pack, apart from all else of packs: whoever checks a store needs no more of them, and starts at once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def pack_hash(files: Mapping[str, bytes]) -> str:
    """Return the SHA-256 of all files of a pack, in hexadecimal: its identity."""
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        total.update(f"{name}\0{len(data)}\0".encode())
        total.update(data)
    return total.hexdigest()
