"""No tenant takes all threads of a process, and nobody waits without end: in one event loop, without a server."""

import asyncio
import gc

import pytest

from memory_project.web.refusals import Refused
from memory_project.web.tenant_limits import Turns

pytestmark = pytest.mark.pure

#: Longer than any test takes.
NEVER = 300.0


def running(test):
    return asyncio.run(test())


async def asked(turns, *tenants):
    """The requests of the tenants, in that order, each of which has a thread or waits."""
    requests = [asyncio.ensure_future(turns.take(tenant)) for tenant in tenants]
    await others_run()
    return requests


async def others_run():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("threads", "came", "have"),
    [
        pytest.param(1, "aab", "a", id="of one thread, a tenant has that one"),
        pytest.param(2, "aaabb", "ab", id="of two threads, one"),
        pytest.param(4, "aaaaaab", "aaab", id="of four threads, three"),
        pytest.param(4, "aaa", "aaa", id="alone too"),
        pytest.param(4, "abcde", "abcd", id="those within their limit in the order in which they came"),
        pytest.param(4, "aaaaaabbbb", "aaab", id="two busy tenants take all of them together"),
    ],
)
def test_a_tenant_has_all_threads_but_one_at_most(threads, came, have):
    @running
    async def test():
        requests = await asked(Turns(threads, patience=NEVER), *came)
        assert "".join(tenant for tenant, one in zip(came, requests, strict=True) if one.done()) == have


def test_with_one_thread_tenants_take_turns():
    @running
    async def test():
        came = "aaaabbc"
        requests = await asked(Turns(1, patience=NEVER), *came)
        given = ""
        while given.count("a") < 4:
            (place,) = (number for number, one in enumerate(requests) if one.done() and one.result())
            given += came[place]
            turn = requests[place].result()
            requests[place] = asyncio.get_running_loop().create_future()
            turn.close()
            await others_run()
        assert given == "abcabaa"


def test_who_waits_too_long_is_refused_and_takes_nothing():
    @running
    async def test():
        turns = Turns(2, patience=0.05)
        first, beyond = await asked(turns, "a", "a")
        with pytest.raises(Refused) as refused:
            await beyond
        assert (refused.value.status, refused.value.code, refused.value.retry_after) == (503, "busy", 5)
        first.result().close()
        assert all(one.done() for one in await asked(turns, "a", "b"))


@pytest.mark.parametrize("is_given", [False, True])
def test_who_goes_away_takes_nothing(is_given):
    @running
    async def test():
        turns = Turns(1, patience=NEVER)
        first, gone = await asked(turns, "a", "b")
        if is_given:
            first.result().close()
        gone.cancel()
        await others_run()
        if not is_given:
            first.result().close()
        assert all(one.done() for one in await asked(turns, "b"))


def test_of_tenants_who_are_gone_nothing_is_kept():
    @running
    async def test():
        turns = Turns(2, patience=NEVER)
        for one in await asked(turns, "a", "b"):
            one.result().close()
        del one
        gc.collect()
        assert not turns._limits
