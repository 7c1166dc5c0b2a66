"""Run as a program, whose first call has nothing kept from one before: prints the seconds until the campaign is set up."""

from __future__ import annotations

import time

from benchmarks.kit import games

if __name__ == "__main__":
    began = time.thread_time()
    games.campaign_start()
    print(time.thread_time() - began)
