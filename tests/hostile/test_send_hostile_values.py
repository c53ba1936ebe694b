"""Values that no schema makes: in every body, in every parameter, in paths and headers. Each is refused in the one
shape of problems, or taken for what it says; the server never fails."""

import json
from urllib.parse import quote, urlencode

import pytest

from tests.factories import EventFactory
from tests.hostile.asking import builder_for, request_with
from tests.hostile.documented import body_of, requests
from tests.hostile.narrowing import WHOLE, tried

# SOME has one value of each kind, and each that once failed a server: characters and numbers that PostgreSQL does not
# take, a depth that Python does not take, times that are none in UTC.
SOME_RAW = [
    r'"a": "\u0000"',
    r'"a": "\ud800"',
    '"a": 9223372036854775808',
    f'"a": {"9" * 5000}',
    '"a": ' + "[" * 5000 + "]" * 5000,
]
RAW = [
    *SOME_RAW,
    r'"a\u0000": 1',
    '"a": 1, "a": 2',
    '"a": 1e999',
    '"a": -1e999',
    '"a": NaN',
    '"a": ' + '{"a":' * 100 + "1" + "}" * 100,
]
SOME_NUMBERS = ["9223372036854775808", "9" * 400]
NUMBERS = [*SOME_NUMBERS, "-1", "0", "1.5", "1e2", "-0", "+1", "0x10", "2147483648", "٣", "", " 1", "NaN"]
SOME_MOMENTS = ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-02-30T00:00:00Z"]
MOMENTS = [
    *SOME_MOMENTS,
    "0000-01-01T00:00:00Z",
    "10000-01-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:00:60Z",
    "infinity",
    "-infinity",
    "epoch",
    "now",
    "1",
]
SOME_TEXTS = ["\x00"]
TEXTS = [*SOME_TEXTS, "x" * 10_000, "\u202e", "😀", "e\u0301", "\ufffe", "' OR 1=1 --", "%", "\\", "../../etc/passwd"]
TEXTS += ["{}", "\r\nX-A: b"]
#: As they stand in an address: what no text is in UTF-8, too.
SOME_IN_ADDRESSES = ["%00", "%ED%A0%80"]
IN_ADDRESSES = [*SOME_IN_ADDRESSES, "%C0%AF", "%FF", "%F0%9F%98%80", "%2e%2e%2f", "..%3b", "%25", "%0d%0aX-A:%20b"]
IN_ADDRESSES += ["a" * 3000]

NAMED = {f"{method} {path}": (method, path, operation) for method, path, operation in requests()}
WITH_BODY = [(name, one) for name, one in NAMED.items() if body_of(one[2]) is not None]
WITH_QUERY = [
    (name, one)
    for name, one in NAMED.items()
    if any(parameter["in"] == "query" for parameter in one[2].get("parameters", []))
]
WITH_PATH = [(name, one) for name, one in NAMED.items() if "{" in one[1]]


@pytest.mark.pure
def test_the_operations_that_meet_everything_are_there_with_bodies_queries_and_paths():
    assert {(method, path) for method, path, _ in requests()} >= WHOLE
    for some in (WITH_BODY, WITH_QUERY, WITH_PATH):
        assert len({one[:2] for _, one in some} & WHOLE) >= 3


def require_sound(response, operation, what):
    """The answer is one that the operation has by the schema, and a refusal is a problem."""
    assert str(response.status_code) in operation["responses"], (what, response.status_code, response.content)
    assert response.status_code < 500, (what, response.content)
    if response.status_code >= 400:
        require_problem(response)


def require_problem(response):
    assert response.headers["Content-Type"] == "application/problem+json"
    assert {"type", "code", "title", "status", "detail", "instance", "request_id"} <= set(response.json())


def send(api, method, path, body=None, content_type="application/json", **headers):
    headers.setdefault("Authorization", f"Bearer {api.key}")
    return api.client.generic(method.upper(), f"/api/v1/{path}", body or b"", content_type, headers=headers)


@pytest.mark.parametrize(("method", "path", "operation", "whole"), tried(WITH_BODY))
def test_no_body_takes_what_cannot_be_stored(tenants, method, path, operation, whole):
    ours, _ = tenants
    address, body = request_with(builder_for(ours), method, path, operation, "", "", None)
    whole = json.dumps(body)[:-1] + (", " if body else "")
    for text in RAW if whole else SOME_RAW:
        response = send(ours.carol, method, address, f"{whole}{text}}}")
        assert response.status_code == 400, (text[:40], response.content)
        require_problem(response)


@pytest.mark.parametrize(("method", "path", "operation", "whole"), tried(WITH_BODY))
def test_another_type_of_body_is_refused(tenants, method, path, operation, whole):
    ours, _ = tenants
    address, body = request_with(builder_for(ours), method, path, operation, "", "", None)
    whole = json.dumps(body)
    types = ("text/plain", "application/xml", "multipart/form-data; boundary=x", "application/x-yaml")
    for content_type in types if whole else types[:1]:
        response = send(ours.carol, method, address, whole, content_type)
        assert response.status_code == 415, (content_type, response.content)
        require_problem(response)
    if not whole:
        return
    for content_type in ("application/json; charset=utf-7", "application/json; charset=\x80", "application/json;;;"):
        require_sound(send(ours.carol, method, address, whole, content_type), operation, content_type)
    response = send(ours.carol, method, address, whole.encode("utf-16"))
    assert response.status_code == 400, response.content


@pytest.mark.parametrize(("method", "path", "operation", "whole"), tried(WITH_QUERY))
def test_no_parameter_fails_the_server(tenants, method, path, operation, whole):
    ours, _ = tenants
    for parameter in operation["parameters"]:
        if parameter["in"] != "query":
            continue
        name, schema = parameter["name"], parameter["schema"]
        if schema.get("format") == "date-time":
            values = MOMENTS if whole else SOME_MOMENTS
        elif schema.get("type") in ("integer", "number"):
            values = NUMBERS if whole else SOME_NUMBERS
        else:
            values = TEXTS if whole else SOME_TEXTS
        for value in values:
            address, _ = request_with(builder_for(ours), method, path, operation, "query", name, value)
            require_sound(send(ours.carol, method, address), operation, (name, value))
        begins = address.partition("?")[0]
        for raw in IN_ADDRESSES if whole else SOME_IN_ADDRESSES:
            require_sound(send(ours.carol, method, f"{begins}?{name}={raw}"), operation, (name, raw))
        twice = urlencode([(name, "1"), (name, "2")])
        assert send(ours.carol, method, f"{begins}?{twice}").status_code == 400


@pytest.mark.parametrize(("method", "path", "operation", "whole"), tried(WITH_PATH))
def test_no_path_fails_the_server(tenants, method, path, operation, whole):
    ours, _ = tenants
    values = [*IN_ADDRESSES, quote("\x7f\u202e\u00e9"), "-1", "0"] if whole else SOME_IN_ADDRESSES
    for parameter in operation["parameters"]:
        if parameter["in"] != "path":
            continue
        for raw in [*values, "9" * 400]:
            address, body = request_with(builder_for(ours), method, path, operation, "path", parameter["name"], "PLACE")
            sent = None if body is None else json.dumps(body)
            response = send(ours.carol, method, address.replace("PLACE", raw), sent)
            assert response.status_code < 500, (raw, response.content)
            if response.status_code >= 400:
                require_problem(response)


@pytest.mark.parametrize("header", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_no_header_makes_another_method_of_a_request(tenants, header):
    ours, _ = tenants
    capsule = ours.ids["capsule"][0]
    response = send(ours.world.alice, "get", f"capsules/{capsule}", **{header: "DELETE"})
    assert response.status_code == 200
    response = send(ours.world.alice, "post", f"capsules/{capsule}", "{}", **{header: "DELETE"})
    assert response.status_code == 405
    assert send(ours.world.alice, "get", f"capsules/{capsule}").json()["status"] == "active"


@pytest.mark.parametrize(
    "headers",
    [
        {"Range": "bytes=0-1"},
        {"Range": "rows=-5"},
        {"Accept": "text/html"},
        {"Accept": "application/xml;q=0.9, */*;q=-1"},
        {"Accept": ";;;"},
        {"Accept-Encoding": "x" * 1000},
        {"Accept-Language": "\xff\xfe"},
        {"If-None-Match": "*"},
        {"If-Modified-Since": "yesterday"},
        {"Cookie": "sessionid=\xff; =; \x00"},
        {"X-Forwarded-For": "::1, '; DROP"},
        {"X-Request-Id": "\x00\r\n"},
        {"Content-Length": "-1"},
        {"Content-Length": "99999999999999999999"},
        {"Content-Length": "one"},
        {"Transfer-Encoding": "gzip, chunked"},
    ],
)
def test_no_header_fails_the_server(tenants, headers):
    ours, _ = tenants
    for method, path, body in (("get", "chunks?limit=1", None), ("post", "chunks/search", '{"query": "zebra"}')):
        response = send(ours.world.alice, method, path, body, **headers)
        assert response.status_code < 500, response.content
        if response.status_code >= 400:
            require_problem(response)
        else:
            assert response.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize(
    "key",
    ["Bearer", "Bearer ", "Bearer a b", "Basic YTpi", "Bearer \x00", "Bearer é", "Bearer " + "x" * 9000, "bearer\t"],
)
def test_a_strange_key_is_refused(tenants, key):
    ours, _ = tenants
    response = send(ours.world.alice, "get", "chunks", Authorization=key)
    assert response.status_code == 401, response.content
    require_problem(response)


PAGED = [
    path
    for method, path, operation in requests()
    if any(parameter["name"] == "cursor" for parameter in operation.get("parameters", [])) and "{" not in path
]


def test_a_cursor_is_good_for_its_own_list_and_tenant_only(tenants):
    ours, theirs = tenants
    asked = {"agent": ours.world.alice, "admin": ours.carol}
    cursors = {}
    for path in PAGED:
        for caller, api in asked.items():
            response = api.get(f"{path}?limit=1")
            if response.status_code == 200 and (following := response.json().get("next")):
                cursors[path, caller] = following.partition("cursor=")[2].partition("&")[0] or quote(following)
    assert len({path for path, _ in cursors}) >= 5
    for (origin, caller), cursor in cursors.items():
        for path in PAGED:
            response = asked[caller].get(f"{path}?limit=1&cursor={cursor}")
            if path == origin:
                assert response.status_code == 200, (origin, response.content)
            else:
                assert response.status_code in (400, 403), (origin, path, response.content)
        response = theirs.callers[caller].get(f"{origin}?limit=1&cursor={cursor}")
        assert response.status_code == 400, (origin, response.content)


def test_an_idempotency_key_is_good_for_its_own_request_and_caller_only(tenants):
    ours, theirs = tenants
    event = EventFactory(content={"text": ours.words})
    key = {"Idempotency-Key": "the-same"}
    first = ours.world.alice.post("events", event, **key)
    assert first.status_code == 201
    again = ours.world.alice.post("events", event, **key)
    assert (again.status_code, again.json()) == (201, first.json())
    other = ours.world.alice.post("events", {**event, "session_id": "another"}, **key)
    assert other.status_code == 409
    assert ours.world.alice.post("chunks/summary", {}, **key).status_code in (400, 409)
    # another caller's key of the same name is another key
    for api in (ours.world.bob, theirs.world.alice):
        answer = api.post("events", event, **key)
        assert answer.status_code == 201, answer.content
        assert answer.json()["event_id"] != first.json()["event_id"]
        assert "Idempotent-Replay" not in answer.headers
