"""How much memory the server has."""

from __future__ import annotations

import platform

_COUNTS_BYTES = platform.system() == "Darwin"  # where the others count KiB


def memory() -> int:
    """Return how many bytes of memory the process has, or had at most where the system tells no more; 0 where it tells nothing."""
    try:
        import resource
    except ImportError:  # Windows
        return 0
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * resource.getpagesize()
    except OSError:
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if _COUNTS_BYTES else most * 1024
