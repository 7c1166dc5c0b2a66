"""Is there a display that a window can be shown on? Qt itself would end the whole process if not."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from pathlib import Path

UNSEEN = ("offscreen", "minimal", "minimalegl")  # Qt draws there, and nobody sees it


def named() -> str:
    """Return how the environment names the display; empty where it names none."""
    if sys.platform in ("win32", "darwin"):
        return "the desktop"
    wayland, x11 = os.environ.get("WAYLAND_DISPLAY", ""), os.environ.get("DISPLAY", "")
    return " and ".join([f"WAYLAND_DISPLAY={wayland}"] * bool(wayland) + [f"DISPLAY={x11}"] * bool(x11))


def answers() -> bool:
    """Say whether a display is there and lets us in, or the user told Qt what to show windows on instead."""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0]
    if platform not in ("", "xcb", "wayland"):
        return platform not in UNSEEN
    if sys.platform in ("win32", "darwin"):
        return True
    return _wayland_answers() or _x11_answers()


def need_none() -> None:
    """Let Qt draw where nobody sees it, also where a display is named that is not there; a platform that the user chose is left."""
    if not os.environ.get("QT_QPA_PLATFORM"):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"


def _wayland_answers() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY")
    if not name:
        return False
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        try:
            line.connect(str(Path(os.environ.get("XDG_RUNTIME_DIR", ""), name)))
        except OSError:
            return False
    return True


def _x11_answers() -> bool:
    if not os.environ.get("DISPLAY"):
        return False
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True  # without it Qt can't start either, and its error names the library
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    for call in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        call.argtypes = [ctypes.c_void_p]
    line = xcb.xcb_connect(None, None)
    failed = bool(xcb.xcb_connection_has_error(line))
    xcb.xcb_disconnect(line)
    return not failed
