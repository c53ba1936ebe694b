"""The tenant's settings: read by everybody, changed by its admins and the operator, each change in the ledger."""

import json

import pytest
from django.core.management import CommandError, call_command

from governance.acting import gate
from governance.models import Entry, SearchLanguage, Tenant
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db

NONE = {"private": "none", "public": "none", "team": "none", "agent": "none"}
SHIPPED = {
    "pending_edit_days": 30,
    "default_sensitivities": NONE,
    "search_language": "english",
    "hybrid_alpha": 0.5,
    "ephemeral_hours": 24,
    "agent_edits_per_hour": 20,
    "agent_pending_edits": 100,
}


@pytest.fixture
def admin(world):
    return admins_of(world).carol


def sensitivity_of(world, recorded):
    with world.inside():
        (row,) = gate.rows(
            "SELECT e.sensitivity AS event, array_agg(x.sensitivity) AS chunks FROM memory_event e"
            " JOIN memory_effectivechunk x ON x.event_id = e.id AND x.tenant_id = e.tenant_id"
            " WHERE e.id = %s GROUP BY 1",
            [recorded["event_id"]],
        )
    return {row["event"], *row["chunks"]}


def test_it_works(world, admin):
    assert world.alice.ok("get", "settings") == SHIPPED

    changed = admin.ok("post", "settings", {"default_sensitivities": {"private": "high"}})

    assert changed == {**SHIPPED, "default_sensitivities": {**NONE, "private": "high"}}
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="tenant.changed").metadata
    assert entry["default_sensitivities"] == {"private": "high"}
    assert entry["before"] == {**SHIPPED, "default_sensitivities": {}, "hybrid_alpha": "0.5"}
    assert admin.ok("post", "settings", {"pending_edit_days": 7})["default_sensitivities"]["private"] == "high"


def test_what_is_recorded_without_a_sensitivity_gets_the_channels(world, admin):
    before = world.event("said before", channel="private")
    admin.ok("post", "settings", {"default_sensitivities": {"private": "high", "public": "low"}})

    assert sensitivity_of(world, before) == {"none"}
    assert sensitivity_of(world, world.event("a", channel="private")) == {"high"}
    assert sensitivity_of(world, world.event("b", channel="public")) == {"low"}
    assert sensitivity_of(world, world.event("c", channel="team")) == {"none"}
    assert sensitivity_of(world, world.event("d", channel="private", sensitivity="none")) == {"none"}


def test_a_decision_of_that_channel_has_it_too(world, admin):
    admin.ok("post", "settings", {"default_sensitivities": {"private": "high"}})
    world.event("e", kind="decision", channel="private", content={"decision": "Never say it"})

    assert world.alice.ok("get", "decisions/active?channel=public")["decisions"] == []
    assert len(world.alice.ok("get", "decisions/active?channel=private")["decisions"]) == 1


def test_none_takes_a_default_back(world, admin):
    admin.ok("post", "settings", {"default_sensitivities": {"private": "high"}})
    admin.ok("post", "settings", {"default_sensitivities": {"private": "none"}})

    with world.inside():
        assert Tenant.objects.get(id=world.tenant_id).default_sensitivities == {}


@pytest.mark.parametrize("who", ["alice", "bob", "auditor"])
def test_only_admins_change_them(world, who):
    response = getattr(world, who).post("settings", {"default_sensitivities": {"private": "high"}})

    assert response.status_code == 403


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({"default_sensitivities": {"privat": "high"}}, "#/default_sensitivities/privat"),
        ({"default_sensitivities": {"private": "shouted"}}, "#/default_sensitivities/private"),
        ({"default_sensitivities": {"private": None}}, "#/default_sensitivities/private"),
        ({"default_sensitivities": []}, "#/default_sensitivities"),
        ({"pending_edit_days": 0}, "#/pending_edit_days"),
        ({"search_language": "klingon"}, "#/search_language"),
        ({"search_language": "English"}, "#/search_language"),
        ({"search_language": None}, "#/search_language"),
        ({"search_language": ["german"]}, "#/search_language"),
        ({"hybrid_alpha": 1.5}, "#/hybrid_alpha"),
        ({"hybrid_alpha": -1}, "#/hybrid_alpha"),
        ({"hybrid_alpha": "0.5"}, "#/hybrid_alpha"),
        ({"hybrid_alpha": None}, "#/hybrid_alpha"),
        ({"ephemeral_hours": 0}, "#/ephemeral_hours"),
        ({"ephemeral_hours": 87_601}, "#/ephemeral_hours"),
        ({"ephemeral_hours": "24"}, "#/ephemeral_hours"),
        ({"days": 1}, "#/days"),
    ],
)
def test_a_wrong_body_is_named(admin, body, pointer):
    response = admin.post("settings", body)

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == pointer


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"pending_edit_days": 30},
        {"default_sensitivities": {"team": "none"}},
        {"search_language": "english"},
        {"hybrid_alpha": 0.5},
        {"ephemeral_hours": 24},
        {"agent_edits_per_hour": 20},
    ],
)
def test_nothing_to_change_is_said(admin, body):
    assert admin.post("settings", body).status_code == 409


def test_the_operator_changes_them(world, capsys):
    for _ in range(2):
        call_command(
            "provision", world.slug, "--default-sensitivity", "private:high", "--default-sensitivity", "team:low"
        )

    with world.inside():
        assert Tenant.objects.get(id=world.tenant_id).default_sensitivities == {"private": "high", "team": "low"}
        assert Entry.objects.filter(tenant_id=world.tenant_id, type="tenant.changed").count() == 1


@pytest.mark.parametrize("text", ["private", "privat:high", "private:shouted"])
def test_the_operator_is_told_what_is_wrong(world, text):
    with pytest.raises(CommandError, match="channel"):
        call_command("provision", world.slug, "--default-sensitivity", text)


def test_the_database_refuses_another_setting(world):
    admins = admins_of(world)
    with gate.acting_as(admins.carol_principal):
        (row,) = gate.rows(
            "SELECT * FROM change_tenant(%s, NULL, %s, NULL, NULL, NULL, NULL, NULL)",
            [world.tenant_id, json.dumps({"private": "shouted"})],
        )
    assert row["refusal"] == "unknown_default_sensitivity"


# -- The language of the words


def test_the_search_language_is_changed(world, admin):
    assert admin.ok("post", "settings", {"search_language": "german"}) == {**SHIPPED, "search_language": "german"}

    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="tenant.changed").metadata
    assert (entry["search_language"], entry["before"]["search_language"]) == ("german", "english")


def test_the_operator_gives_the_search_language(world):
    for _ in range(2):
        call_command("provision", world.slug, "--search-language", "spanish")

    assert world.alice.ok("get", "settings")["search_language"] == "spanish"


def test_the_operator_is_told_which_languages_there_are(world):
    with pytest.raises(CommandError, match=r"text search configuration.*use simple"):
        call_command("provision", world.slug, "--search-language", "klingon")


def test_every_language_that_is_offered_is_one_that_the_database_has():
    known = gate.rows("SELECT cfgname FROM pg_ts_config WHERE cfgnamespace = 'pg_catalog'::regnamespace", ())
    assert set(SearchLanguage.values) <= {row["cfgname"] for row in known}


def test_the_weight_of_meaning_is_changed(world, admin):
    assert admin.ok("post", "settings", {"hybrid_alpha": 0.25}) == {**SHIPPED, "hybrid_alpha": 0.25}
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="tenant.changed").metadata
    assert (entry["hybrid_alpha"], entry["before"]["hybrid_alpha"]) == ("0.25", "0.5")
    assert world.alice.post("settings", {"hybrid_alpha": 0}).status_code == 403


def test_the_operator_gives_the_weight_of_meaning(world):
    for _ in range(2):
        call_command("provision", world.slug, "--hybrid-alpha", "0")

    assert world.alice.ok("get", "settings")["hybrid_alpha"] == 0


@pytest.mark.parametrize("weight", ["1.5", "nan"])
def test_the_operator_is_told_how_far_the_weight_of_meaning_goes(world, weight):
    with pytest.raises(CommandError, match=r"from 0 \(words alone\) to 1"):
        call_command("provision", world.slug, "--hybrid-alpha", weight)
