"""What is over a limit is answered with 429 before Django sees it. Django behind the bridge, as the server runs it."""

import asyncio
import json
import secrets
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network

import pytest
from django.conf import settings
from django.core.handlers.wsgi import WSGIHandler
from django.urls import reverse

from governance.acting import gate
from memory_project.web.bridge import Bridge
from memory_project.web.rate_limiter import RateLimiter
from memory_project.web.request_bodies import Limits
from tests import bridges

pytestmark = pytest.mark.django_db(transaction=True)

#: So many that no test comes to it.
PLENTY = (1_000_000, 3600)
LOGIN = "/admin/login/"


class Asked:
    """One answer."""

    def __init__(self, messages):
        self.status = messages[0]["status"]
        self.headers = {name.decode(): value.decode() for name, value in messages[0]["headers"]}
        self.body = b"".join(message["body"] for message in messages[1:])

    @property
    def problem(self):
        return json.loads(self.body)


class Server:
    """One process of the web server, with the rates of a test; other processes share them."""

    def __init__(self, redis_url=settings.REDIS_URL, trusted=(), **rates):
        self._bridge = Bridge(WSGIHandler(), threads=1, limits=Limits(10_000_000, frozenset(), "sessionid"))
        known = {"key": PLENTY, "address": PLENTY, "wrong-keys": PLENTY, "logins": PLENTY}
        self._limited = RateLimiter(
            self._bridge,
            redis_url=redis_url,
            rates={**known, **{name.replace("_", "-"): rate for name, rate in rates.items()}},
            logins=frozenset({reverse("admin:login")}),
            trusted=trusted,
        )
        self._loop = asyncio.new_event_loop()
        # in a thread of its own: a browser of other tests may run a loop in this one
        self._thread = ThreadPoolExecutor(1)

    def ask(self, key=None, *, address, path="/api/v1/settings", method="GET", body=b"", forwarded=None):
        headers = [(b"host", b"localhost"), (b"content-length", str(len(body)).encode())]
        if key is not None:
            headers.append((b"authorization", f"Bearer {key}".encode()))
        if forwarded is not None:
            headers.append((b"x-forwarded-for", forwarded.encode()))
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "scheme": "http",
            "http_version": "1.1",
            "query_string": b"",
            "headers": headers,
            "client": (address, 1),
        }
        sent = []

        async def receive():
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message):
            sent.append(message)

        self._thread.submit(self._loop.run_until_complete, self._limited(scope, receive, send)).result()
        return Asked(sent)

    def close(self):
        bridges.close(self._bridge)
        self._thread.submit(self._loop.run_until_complete, self._limited._shared.client.aclose()).result()
        self._thread.shutdown()
        self._loop.close()


@pytest.fixture
def server():
    made = []

    def make(**options):
        # who made the tenant has used its keys
        gate._remembered.clear()
        made.append(Server(**options))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def address():
    """Where a client is that no other test has counted."""
    return f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1"


def wrong():
    return f"sut_{secrets.token_hex(20)}"


def test_each_answer_says_what_is_left_of_its_key(world, server, address):
    one = server(key=(100, 60))
    one.ask(world.keys["alice"], address=address)
    answer = one.ask(world.keys["alice"], address=address)
    assert answer.status == 200
    assert answer.headers["ratelimit-policy"] == '"key";q=100;w=60'
    assert answer.headers["ratelimit"].startswith('"key";r=99;t=')


def test_a_key_that_asks_too_often_is_refused_and_told_when_to_come_back(world, server, address):
    one = server(key=(3, 3600))
    answers = [one.ask(world.keys["alice"], address=address) for _ in range(5)]
    # this process knows the key from the first request on
    assert [answer.status for answer in answers] == [200, 200, 200, 200, 429]
    refused = answers[-1]
    assert 1 <= int(refused.headers["retry-after"]) <= 1200
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.problem["code"] == "too-many-requests"
    assert refused.problem["type"] == "urn:suture:problem:too-many-requests"
    assert "more than 3 requests with this key in 3,600 s" in refused.problem["detail"]
    assert one.ask(world.keys["bob"], address=address).status == 200


def test_processes_count_together(world, server, address):
    first, second = server(key=(2, 3600)), server(key=(2, 3600))
    for one in (first, second, first):
        assert one.ask(world.keys["alice"], address=address).status == 200
    assert second.ask(world.keys["alice"], address=address).status == 429


def test_an_address_without_a_key_is_counted_by_itself(world, server, address):
    one = server(address=(2, 3600))
    assert [one.ask(address=address).status for _ in range(3)] == [401, 401, 429]
    assert one.ask(address=address.replace("::1", "::2")).status == 429
    assert one.ask(address="192.0.2.1").status in {401, 429}


def test_who_shows_wrong_keys_is_refused_with_any_that_nobody_knows(world, server, address):
    one = server(wrong_keys=(2, 3600))
    assert [one.ask(wrong(), address=address).status for _ in range(4)] == [401, 401, 401, 429]
    assert one.ask(world.keys["alice"], address=address).status == 429
    assert one.ask(wrong(), address="192.0.2.2").status == 401


def test_a_key_that_any_process_knows_works_beside_wrong_ones(world, server, address):
    one, other = server(wrong_keys=(1, 3600)), server(wrong_keys=(1, 3600))
    assert one.ask(world.keys["alice"], address=address).status == 200
    gate._remembered.clear()
    assert [other.ask(wrong(), address=address).status for _ in range(3)] == [401, 401, 429]
    assert other.ask(world.keys["alice"], address=address).status == 200


def test_tries_to_log_in_are_counted(server, address):
    one = server(logins=(2, 3600))
    answers = [one.ask(address=address, path=LOGIN, method="POST", body=b"username=a") for _ in range(3)]
    assert [answer.status for answer in answers] == [403, 403, 429]  # without the token of a form
    assert answers[-1].headers["content-type"] == "text/html; charset=utf-8"
    assert b"login attempts" in answers[-1].body
    assert answers[-1].headers["connection"] == "close"
    assert one.ask(address=address, path=LOGIN).status == 200


def test_behind_a_proxy_that_is_trusted_each_client_is_counted(server):
    one = server(address=(1, 3600), trusted=[ip_network("10.0.0.0/8")])
    first, second = (f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}::1" for _ in range(2))
    assert one.ask(address="10.0.0.1", forwarded=f"{second}, {first}").status == 401
    assert one.ask(address="10.0.0.1", forwarded=f"192.0.2.1, {first}").status == 429
    assert one.ask(address="10.0.0.1", forwarded=second).status == 401


def test_probes_are_not_counted(server, address):
    one = server(address=(1, 3600))
    # another application answers them, in front of Django
    assert [one.ask(address=address, path="/healthz").status for _ in range(3)] == [404, 404, 404]


def test_a_limit_that_is_off_refuses_nobody(world, server, address):
    one = server(key=None, address=None, wrong_keys=None, logins=None)
    assert [one.ask(wrong(), address=address).status for _ in range(5)] == [401] * 5
    answer = one.ask(world.keys["alice"], address=address)
    assert (answer.status, "ratelimit" in answer.headers) == (200, False)


def test_without_redis_keys_work_and_wrong_ones_are_still_counted(world, server, address):
    one = server(redis_url="redis://127.0.0.1:1/0", wrong_keys=(2, 3600))
    assert [one.ask(wrong(), address=address).status for _ in range(4)] == [401, 401, 401, 429]
    other = address.replace("2001", "2002")
    assert [one.ask(world.keys["alice"], address=other).status for _ in range(20)] == [200] * 20
