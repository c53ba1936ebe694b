"""What the admin answers to what it cannot do: a page in its style, with a way on, never a failure of the server."""

import itertools
import uuid
from typing import Any

import pytest
from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.db import connection
from django.test import Client
from django.urls import reverse

from governance.admin.site import site
from governance.models import Entry
from tests.ledger.breaking import kill_backend

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

EDITS = "/admin/governance/edit/"

#: Values that are no time, id, number or choice, or hardly one.
NASTY = ("\0", "9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-02-30", "9" * 400, "\u0661", "%")


@pytest.fixture
def client(world: Any, desk: Any) -> Client:
    world.edit(world.chunk("fox"), "quarantine", by=world.alice)
    made: Client = desk(world.bob_name).client
    made.raise_request_exception = False
    return made


def pages() -> list[tuple[str, list[str]]]:
    """Every list with the parameters of its filters, the audit trail's first, and the pages with forms of their own."""
    found = []
    for model, admin in sorted(site._registry.items(), key=lambda one: one[0] is not Entry):
        opts = model._meta
        names = [one if isinstance(one, str) else one.parameter_name for one in admin.list_filter]
        parameters = [f"{name}__exact" if name in {f.name for f in opts.get_fields()} else name for name in names]
        own = [ORDER_VAR, PAGE_VAR, SEARCH_VAR, "all", "e", "format", "unknown"]
        found.append((reverse(f"admin:{opts.app_label}_{opts.model_name}_changelist"), [*parameters, *own]))
    browser = ["agent", "channel", "query", "scope", "subject_type", "subject_id", "project_id", "session_id"]
    return [*found, (reverse("admin:memory_browser"), browser), (reverse("admin:choose_tenant"), ["next"])]


@pytest.mark.slow
def test_no_parameter_of_any_page_makes_the_server_fail(client: Client) -> None:
    """Each parameter on the first of the pages that have it: the same filter reads it on the others."""
    seen: set[str] = set()
    for page, parameters in pages():
        for parameter, value in itertools.product([name for name in parameters if name not in seen], NASTY):
            answer = client.get(page, {parameter: value})
            assert answer.status_code < 500, (page, parameter, value)
            if "\0" in value:
                assert answer.status_code == 400, (page, parameter, value)
        seen.update(parameters)
    assert len(seen) > 30


@pytest.mark.parametrize("since", ["since", "until", "recorded"])
def test_what_is_no_time_is_refused_by_its_name(client: Client, since: str) -> None:
    for value in ("9999-12-31T23:59:59-23:59", "yesterday", "2026-02-30", "0"):
        answer = client.get("/admin/memory/event/", {since: value})
        assert answer.status_code == 400
        body = answer.content.decode()
        assert "This is not a time." in body
        assert value in body


def test_a_nul_in_a_form_is_refused_by_its_name(client: Client) -> None:
    for page in (f"{EDITS}bulk/", "/admin/second-factor/", "/admin/tenant/", "/admin/password_change/"):
        answer = client.post(page, {"code": "1\0", "act": "off"})
        assert answer.status_code == 400, page
        assert "contains the NUL character" in answer.content.decode()


def test_neither_a_login_with_odd_values_nor_an_odd_address_makes_the_server_fail(client: Client) -> None:
    stranger = Client(raise_request_exception=False)
    for value in NASTY:
        for field in ("username", "password", "code"):
            filled = {"username": "bob", "password": "x", "code": "", field: value}
            assert stranger.post("/admin/login/", filled).status_code < 500, (field, value)
        assert stranger.get("/admin/login/", {"next": value}).status_code < 500
    for place, (model, _) in zip(itertools.cycle(("%00", "a%00b", "1", "%FF", "x" * 900)), pages()[:-2], strict=False):
        assert client.get(f"{model}{place}/change/").status_code in (400, 404), (model, place)


def test_an_unknown_address_or_id_is_a_page_of_the_admin(client: Client) -> None:
    for address in (
        "/admin/nothing/",
        f"{EDITS}00000000-0000-0000-0000-000000000000/change/",
        f"{EDITS}none/change/",
        f"/admin/governance/entry/story/{uuid.uuid4()}/",
    ):
        answer = client.get(address)
        assert answer.status_code == 404, address
        body = answer.content.decode()
        for shown in ("Page not found", "governance/page.css", 'href="/admin/"', f'href="{EDITS}"', "Request "):
            assert shown in body, (address, shown)


def test_a_page_that_a_role_does_not_include_says_so(world: Any, client: Client) -> None:
    answer = client.get("/admin/governance/agent/make/")
    assert answer.status_code == 403
    body = answer.content.decode()
    assert "You may not do this" in body
    assert "governance/page.css" in body


def test_a_form_from_another_session_says_what_to_do(world: Any) -> None:
    answer = Client(enforce_csrf_checks=True).post("/admin/login/", {"username": "x"})
    assert answer.status_code == 403
    body = answer.content.decode()
    assert "This form is out of date" in body
    assert "reload the page" in body
    assert "governance/page.css" in body


def test_the_list_of_edits_shows_their_status(world: Any, desk: Any) -> None:
    first, second, third = (world.edit(world.chunk(text), "quarantine", by=world.alice)["edit_id"] for text in "abc")
    world.bob.ok("post", f"edits/{first}/approve", {})
    world.bob.ok("post", f"edits/{second}/reject", {"reason": "no"})
    page = desk(world.bob_name).queue("?status=all")
    assert "status" in page.context["cl"].list_display
    rows = page.content.decode().split("<tbody")[1:]
    assert [word for word in ("pending", "rejected", "approved") if any(word in row for row in rows)] == [
        "pending",
        "rejected",
        "approved",
    ]
    assert third


def test_a_page_whose_database_goes_away_asks_to_try_again(client: Client) -> None:
    assert client.get(EDITS).status_code == 200
    connection.ensure_connection()
    kill_backend(connection.connection.info.backend_pid)
    try:
        answer = client.get(EDITS)
    finally:
        connection.close()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    body = answer.content.decode()
    assert "Temporarily unavailable" in body
    assert "Retry the request." in body
    assert client.get(EDITS).status_code == 200
