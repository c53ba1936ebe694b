"""Without a valid key, every command tells how to get one."""

import re

import httpx
import pytest
from mcp import MCPError

from tests.mcp_server.serving import WAYS, Serving, first, text_of
from tests.stack.running import eventually
from tests.stack.test_first_minutes import manage

pytestmark = pytest.mark.stack

MESSAGE = {"jsonrpc": "2.0", "id": 7, "method": "tools/list"}


def post(serving: Serving, key: str | None = None, **headers: str) -> httpx.Response:
    given = {"Authorization": f"Bearer {key}"} if key else {}
    accepted = {"Accept": "application/json, text/event-stream", **given, **headers}
    return httpx.post(serving.mcp, json=MESSAGE, headers=accepted, timeout=60)


def test_a_request_without_a_key_is_told_what_is_missing(serving: Serving) -> None:
    answer = post(serving)
    assert answer.status_code == 401
    metadata = f"{serving.url}/.well-known/oauth-protected-resource/mcp"
    assert answer.headers["www-authenticate"] == f'Bearer resource_metadata="{metadata}"'
    error = answer.json()["error"]
    assert answer.json()["id"] == 7
    assert "Authorization: Bearer" in error["message"]
    assert "admin" in error["message"]
    assert error["data"]["status"] == 401


def test_a_wrong_key_is_told_why(serving: Serving) -> None:
    answer = post(serving, "sut_00000000_wrong")
    assert answer.status_code == 401
    assert 'error="invalid_token"' in answer.headers["www-authenticate"]
    assert "This API key is not known." in answer.headers["www-authenticate"]
    assert "not known" in answer.json()["error"]["message"]


def test_a_reference_that_the_client_did_not_replace_is_named(serving: Serving) -> None:
    answer = post(serving, "${SUTURE_KEY}")
    assert answer.status_code == 401
    assert "set SUTURE_KEY where the client starts" in answer.json()["error"]["message"]


def test_other_methods_need_a_key_and_are_not_allowed(serving: Serving) -> None:
    for method in ("DELETE", "PUT"):
        assert httpx.request(method, serving.mcp).status_code == 401, method
        answer = httpx.request(method, serving.mcp, headers={"Authorization": f"Bearer {serving.agent}"})
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST"), method


def test_a_stream_needs_a_key_and_a_client_that_reads_events(serving: Serving) -> None:
    assert httpx.get(serving.mcp, headers={"Accept": "text/event-stream"}).status_code == 401
    answer = httpx.get(serving.mcp, headers={"Authorization": f"Bearer {serving.agent}"})
    assert answer.status_code == 406
    assert "text/event-stream" in answer.json()["error"]["message"]


def test_the_metadata_say_how_keys_are_sent(serving: Serving) -> None:
    for path in ("", "/mcp"):
        found = httpx.get(f"{serving.url}/.well-known/oauth-protected-resource{path}").json()
        assert found["resource"] == serving.mcp, path
        assert found["bearer_methods_supported"] == ["header"], path
        assert found["resource_name"] == "Suture", path
        assert found["resource_documentation"].startswith(serving.url), path
        assert "authorization_servers" not in found, path


@pytest.mark.anyio
@pytest.mark.parametrize("way", [way for way in WAYS if way.startswith("http")])
@pytest.mark.parametrize(("key", "said"), [("", "no API key"), ("sut_00000000_wrong", "not known")])
async def test_the_sdks_client_shows_why(serving: Serving, way: str, key: str, said: str) -> None:
    with pytest.raises((MCPError, BaseExceptionGroup)) as raised:
        async with serving.connected(way, key):
            pass
    assert said in str(first(raised.value))


@pytest.mark.anyio
@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_a_wrong_key_over_stdio_is_said_by_every_request(serving: Serving, mode: str) -> None:
    async with serving.connected(f"stdio {mode}", "sut_00000000_wrong") as client:
        with pytest.raises(MCPError, match="not known"):
            await client.list_tools()
        result = await client.call_tool("preview_edit", {})
        assert result.is_error
        assert result.structured_content["status"] == 401
        assert "admin" in text_of(result.content)


def test_stdio_without_a_key_ends_and_names_the_variable(serving: Serving) -> None:
    done = serving.run("mcp", key="", stdin=-3)
    assert done.returncode == 1
    assert "SUTURE_KEY" in done.stderr
    assert done.stdout == ""


@pytest.mark.anyio
async def test_a_key_that_is_revoked_in_a_session_ends_it(serving: Serving) -> None:
    made = manage(serving.home, "provision", "demo", "--agent", "short-lived", "--json")
    key = re.search(r"sut_[\w-]+", made.stdout)
    assert key is not None, made.stderr
    async with serving.connected(key=key[0]) as client:
        await client.list_tools()
        prefix = key[0].split("_")[1]
        revoked = manage(serving.home, "keys", "revoke", "--tenant", "demo", prefix)
        assert revoked.returncode == 0, revoked.stderr
        # one process has the list of tools of the key still, another refuses the request as a whole
        try:
            said = text_of((await client.call_tool("preview_edit", {})).content)
        except MCPError as error:
            said = error.message
        assert "revoked" in said
        eventually(lambda: post(serving, key[0]).status_code == 401, 20)
