"""Animated PNG: frames are taken one by one, each as the part that differs from the one before, so that no film lies in memory.

The format is PNG with three more chunks: ``acTL`` (how many frames), ``fcTL`` (a frame's place and duration), ``fdAT`` (its data).

Pillow 13 writes the format too, and the tests read what is written here with it. But it goes through its ``append_images`` twice, so that a
generator gives one frame, and keeps each frame whole until the last has come: 200 frames took 518 MB at 900x700 and 1,237 MB
at 1600x960. Frames of 256 colours take 130 MB at 900x700, but 393 MB for 300 frames at 900x1400, and letters lose their edges. It takes no
frame that is smaller than the first, so that cropping beforehand does not help.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator

import msgspec
import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage

from client.qt import QBuffer, QByteArray, QIODevice

SIGNATURE = b"\x89PNG\r\n\x1a\n"
HEADER = 13  # bytes of IHDR: width, height, then what all frames must share


class _Frame(msgspec.Struct, frozen=True):
    x: int
    y: int
    width: int
    height: int
    ms: int
    data: bytes


class Apng:
    """An animated PNG that grows; it plays for ever.

    All frames have the first one's size.
    """

    def __init__(self) -> None:
        self._frames: list[_Frame] = []
        self._header = b""
        self._before: npt.NDArray[np.uint32] | None = None

    def __len__(self) -> int:
        return len(self._frames)

    def add(self, image: QImage, ms: int) -> None:
        """Add a frame that stands for *ms* milliseconds."""
        image = image.convertToFormat(QImage.Format.Format_RGB32)
        pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)[:, : image.width()].copy()
        assert self._before is None or self._before.shape == pixels.shape, "all frames have one size"
        x, y, width, height = _changed(self._before, pixels)
        header, data = _encoded(image.copy(x, y, width, height))
        if not self._header:
            self._header = header
        assert header[8:] == self._header[8:], "all frames are encoded alike"
        self._frames.append(_Frame(x, y, width, height, ms, data))
        self._before = pixels

    def to_bytes(self) -> bytes:
        """Return the file; there is at least one frame."""
        assert self._frames, "a film has a frame"
        parts = [SIGNATURE, _chunk(b"IHDR", self._header), _chunk(b"acTL", struct.pack(">II", len(self._frames), 0))]
        number = 0
        for i, frame in enumerate(self._frames):
            control = struct.pack(">IIIIIHHBB", number, frame.width, frame.height, frame.x, frame.y, frame.ms, 1000, 0, 0)
            parts.append(_chunk(b"fcTL", control))
            number += 1
            if i == 0:  # who knows no animation shows the first frame
                parts.append(_chunk(b"IDAT", frame.data))
                continue
            parts.append(_chunk(b"fdAT", struct.pack(">I", number) + frame.data))
            number += 1
        return b"".join([*parts, _chunk(b"IEND", b"")])


def _changed(before: npt.NDArray[np.uint32] | None, now: npt.NDArray[np.uint32]) -> tuple[int, int, int, int]:
    """Return x, y, width and height of what differs: all of the first frame, one pixel where nothing does."""
    if before is None:
        return 0, 0, now.shape[1], now.shape[0]
    differs = before != now
    rows, columns = np.flatnonzero(differs.any(axis=1)), np.flatnonzero(differs.any(axis=0))
    if not len(rows):
        return 0, 0, 1, 1
    x, y = int(columns[0]), int(rows[0])
    return x, y, int(columns[-1]) - x + 1, int(rows[-1]) - y + 1


def _encoded(image: QImage) -> tuple[bytes, bytes]:
    """Return header and compressed data of a picture, as PNG has them."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    written = image.save(buffer, "PNG")  # type: ignore[call-overload]
    assert written, "Qt can't write PNG to memory"
    chunks = list(_chunks(bytes(content.data())))
    header = next(data for kind, data in chunks if kind == b"IHDR")
    assert len(header) == HEADER, "a PNG's header has 13 bytes"
    return header, b"".join(data for kind, data in chunks if kind == b"IDAT")


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(SIGNATURE)
    while at < len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        yield kind, bytes(png[at + 8 : at + 8 + length])
        at += 12 + length


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
