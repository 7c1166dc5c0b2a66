"""Waiting for a write in the loop, whichever thread tells that it is durable."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future

import pytest

from server.store.durable import durable


async def turned() -> None:
    """Let what was begun before go on to where it waits."""
    over = asyncio.Event()
    asyncio.get_running_loop().call_soon(over.set)
    await over.wait()


def test_what_was_written_is_returned_at_once_if_it_is_durable_already() -> None:
    async def wait() -> int:
        write: Future[int] = Future()
        write.set_result(7)
        return await durable(write)

    assert asyncio.run(wait()) == 7


@pytest.mark.parametrize("elsewhere", [False, True])
def test_whoever_waits_goes_on_when_any_thread_tells_of_it(elsewhere: bool) -> None:
    async def wait() -> str:
        write: Future[str] = Future()
        waiting = asyncio.create_task(durable(write))
        await turned()
        assert not waiting.done()
        if elsewhere:
            await asyncio.get_running_loop().run_in_executor(None, write.set_result, "there")
        else:
            write.set_result("there")
        return await waiting

    assert asyncio.run(wait()) == "there"


def test_what_kept_a_write_out_is_raised() -> None:
    async def wait() -> None:
        write: Future[None] = Future()
        waiting = asyncio.create_task(durable(write))
        await turned()
        write.set_exception(OSError(28, "no space"))
        await waiting

    with pytest.raises(OSError, match="no space"):
        asyncio.run(wait())


def test_a_write_that_was_not_begun_is_cancelled_with_whoever_waits_for_it_and_one_that_was_goes_on() -> None:
    async def wait() -> tuple[bool, bool]:
        unbegun: Future[None] = Future()
        begun: Future[None] = Future()
        assert begun.set_running_or_notify_cancel()
        for write in (unbegun, begun):
            waiting = asyncio.create_task(durable(write))
            await turned()
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert waiting.cancelled()
        begun.set_result(None)
        return unbegun.cancelled(), begun.cancelled()

    assert asyncio.run(wait()) == (True, False)


def test_a_write_that_is_told_of_after_the_loop_has_ended_wakes_nobody() -> None:
    write: Future[None] = Future()

    async def leave() -> None:
        waiting = asyncio.create_task(durable(write))
        await turned()
        assert not waiting.done()
        assert write.set_running_or_notify_cancel()

    asyncio.run(leave())
    told = threading.Thread(target=write.set_result, args=(None,))
    told.start()
    told.join()
    assert write.done()
