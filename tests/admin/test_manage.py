"""Managing a tenant: each act through its service, on POST, with its ledger entry."""

import re
import secrets

import pytest

from governance import refusals
from governance.acting.credentials import system
from governance.http.problems import problem_for
from governance.identity import agents, identities, people
from governance.ledger import keyring, published_tree_heads
from governance.models import Agent, ApiKey, Entry, Membership, PolicyChange, PolicyRule, Tenant, User
from tests.admin.managing import AT, acts_on, admin_of, entries, key_on, row_count, row_of
from tests.world import Api

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


# -- Agents


def test_an_agent_is_made_and_given_a_key_that_works(world, root):
    made = root.post(f"{AT}agent/make/", {"slug": "carol", "channels": ["public", "team"]})
    assert made.headers["Location"] == f"{AT}agent/"
    carol = row_of(world, Agent, slug="carol")
    assert carol.channels == ["public", "team"]
    assert entries(world, "agent.created")[-1]["slug"] == "carol"
    key = key_on(root.post(f"{AT}agent/{carol.id}/issue-key/", {"days": "7"}))
    assert Api(key).get("chunks").status_code == 200
    issued = row_of(world, ApiKey, agent=carol)
    assert (issued.expires_at - issued.created_at).days in (6, 7)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"slug": "alice", "channels": ["private"]}, "An agent with this name already exists"),
        ({"slug": "Al Ice", "channels": ["private"]}, "A name has 1 to 50"),
        ({"slug": "carol", "channels": ["loud"]}, "not one of the available choices"),
        ({"slug": "carol"}, "required"),
        ({}, "required"),
    ],
)
def test_a_wrong_agent_is_refused_with_its_reason_and_what_was_typed(world, root, fields, told):
    answer = root.post(f"{AT}agent/make/", fields)
    assert answer.status_code in (400, 409)
    assert told in answer.content.decode()
    assert f'value="{fields.get("slug", "")}"' in answer.content.decode() or "slug" not in fields
    with world.inside():
        assert Agent.objects.count() == 1


def test_a_deactivated_agent_is_refused_at_once_and_comes_back(world, root):
    address = f"{AT}agent/{world.alice_principal.id}/"
    assert root.post(f"{address}deactivate/").status_code == 302
    assert world.alice.get("chunks").status_code == 401
    assert root.post(f"{address}deactivate/").status_code == 409
    refused = root.post(f"{address}issue-key/")
    assert (refused.status_code, "not active" in refused.content.decode()) == (409, True)
    assert root.post(f"{address}activate/").status_code == 302
    assert world.alice.get("chunks").status_code == 200
    assert entries(world, "agent.deactivated")[0]["slug"] == entries(world, "agent.activated")[0]["slug"] == "alice"


# -- Keys


def test_a_new_key_is_shown_once_and_is_in_no_message_list_or_entry(world, root):
    key = key_on(root.post(f"{AT}agent/{world.alice_principal.id}/issue-key/", {}))
    secret = key.split("_", 2)[2]
    agent_page, list_page = root.get(f"{AT}agent/{world.alice_principal.id}/change/"), root.get(f"{AT}apikey/")
    assert secret not in agent_page.content.decode() + list_page.content.decode()
    with world.inside():
        assert not any(secret in bytes(entry.canonical).decode() for entry in Entry.objects.all())


def test_the_page_with_a_key_is_kept_by_no_cache(world, root):
    answer = root.post(f"{AT}agent/{world.alice_principal.id}/issue-key/", {})
    assert "no-store" in answer.headers["Cache-Control"]


def test_a_page_that_is_reloaded_issues_no_second_key(world, root):
    address = f"{AT}agent/{world.alice_principal.id}/issue-key/"
    (once,) = re.findall(r'name="once" value="([\w-]+)"', root.get(address).content.decode())
    key = key_on(root.post(address, {"days": "", "once": once}))
    before = row_count(world, ApiKey), len(entries(world, "key.issued"))
    again = root.post(address, {"days": "", "once": once})
    assert again.status_code == 409
    assert "already sent" in again.content.decode()
    assert "sut_" not in again.content.decode()
    assert f'href="{address}"' in again.content.decode(), "the way to a new form"
    assert (row_count(world, ApiKey), len(entries(world, "key.issued"))) == before
    assert Api(key).get("chunks").status_code == 200
    assert root.get(address).context["once"] != once


def test_of_two_clicks_at_once_one_acts(world, root, desk, at_once):
    address = f"{AT}agent/{world.alice_principal.id}/issue-key/"
    other = desk(f"root-{world.slug}").client
    form = {"days": "", "once": secrets.token_hex(8)}
    before = row_count(world, ApiKey)
    answers = at_once(lambda: root.post(address, form), lambda: other.post(address, form))
    assert sorted(answer.status_code for answer in answers) == [200, 409]
    assert row_count(world, ApiKey) == before + 1


def test_a_refused_form_can_be_sent_again(world, root):
    form = {"slug": "alice", "channels": ["private"], "once": secrets.token_hex(8)}
    assert root.post(f"{AT}agent/make/", form).status_code == 409
    assert root.post(f"{AT}agent/make/", form | {"slug": "Al Ice"}).status_code == 400
    assert root.post(f"{AT}agent/make/", form | {"slug": "carol"}).status_code == 302
    assert root.post(f"{AT}agent/make/", form | {"slug": "dora"}).status_code == 409


@pytest.mark.parametrize("once", ["", "short", "x" * 65, "a\0bcdefghijklmnopq"])
def test_a_form_without_its_token_does_nothing(world, root, once):
    before = row_count(world, ApiKey)
    answer = root.post(f"{AT}agent/{world.alice_principal.id}/issue-key/", {"days": "", "once": once})
    # no page takes a NUL character, whatever the field
    assert (answer.status_code, row_count(world, ApiKey)) == (400 if "\0" in once else 409, before)


@pytest.mark.parametrize(
    ("refusal", "status"),
    [
        (refusals.Invalid, 400),
        (refusals.Forbidden, 403),
        (refusals.Conflict, 409),
        (refusals.TooLarge, 413),
        (published_tree_heads.LedgerIsBehind, 503),
        (keyring.SigningKeyMissing, 503),
    ],
)
def test_a_refusal_has_the_status_that_it_has_in_the_api(world, root, monkeypatch, refusal, status):
    def refuse(*_, **__):
        raise refusal("Not now.")

    monkeypatch.setattr(agents, "deactivate_agent", refuse)
    answer = root.post(f"{AT}agent/{world.alice_principal.id}/deactivate/")
    assert answer.status_code == status
    # why the ledger cannot be written is for the operator
    assert ("Not now." in answer.content.decode()) == (not issubclass(refusal, refusals.Halted))
    problem = problem_for(refusal("Not now."))
    assert problem is not None
    assert problem.status == status


def test_a_revoked_key_is_refused_at_once(world, root):
    key = row_of(world, ApiKey, agent__isnull=False)
    assert root.post(f"{AT}apikey/{key.id}/revoke/").status_code == 302
    assert world.alice.get("chunks").status_code == 401
    assert root.post(f"{AT}apikey/{key.id}/revoke/").status_code == 409
    assert len(entries(world, "key.revoked")) == 1


def test_a_rotated_key_takes_the_old_ones_place(world, root):
    key = row_of(world, ApiKey, agent__isnull=False)
    new = key_on(root.post(f"{AT}apikey/{key.id}/rotate/"))
    assert world.alice.get("chunks").status_code == 401
    assert Api(new).get("chunks").status_code == 200


def test_nobody_is_given_the_key_of_another_person(world, root):
    """With bob's key an admin could approve, as bob, what they proposed themselves."""
    key = row_of(world, ApiKey, user__username=world.bob_name)
    answer = root.post(f"{AT}apikey/{key.id}/rotate/")
    assert answer.status_code == 403
    assert "sut_" not in answer.content.decode()
    assert world.bob.get("edits").status_code == 200, "the old key was revoked although no new one was given"
    assert "rotate" not in acts_on(root, f"{AT}apikey/{key.id}/change/")
    own = row_of(world, ApiKey, user__username=f"root-{world.slug}")
    assert Api(key_on(root.post(f"{AT}apikey/{own.id}/rotate/"))).get("edits").status_code == 200


# -- Roles


def test_a_role_is_granted_withdrawn_and_granted_again(world, root, desk):
    bob = User.objects.get(username=world.bob_name)
    grant = f"{AT}user/{bob.id}/grant-role/"
    assert root.post(grant, {"role": "admin"}).status_code == 302
    assert root.post(grant, {"role": "admin"}).status_code == 409
    membership = row_of(world, Membership, user=bob, role="admin")
    client = desk(world.bob_name).client
    assert client.get(f"{AT}agent/make/").status_code == 200
    assert root.post(f"{AT}membership/{membership.id}/withdraw/").status_code == 302
    assert client.get(f"{AT}agent/make/").status_code == 403, "a withdrawn role is gone with the next request"
    assert root.post(f"{AT}membership/{membership.id}/withdraw/").status_code == 404
    assert root.post(grant, {"role": "admin"}).status_code == 302
    assert client.get(f"{AT}agent/make/").status_code == 200
    of_bob = [one["role"] for one in entries(world, "role.granted") if one["user"] == str(bob.id)]
    assert of_bob == ["reviewer", "admin", "admin"]
    assert entries(world, "role.withdrawn") == [{"user": str(bob.id), "role": "admin", "actor": actor(world)}]


def actor(world):
    user = User.objects.get(username=f"root-{world.slug}")
    return {"kind": "human", "id": str(user.id), "name": user.username}


def test_nobody_changes_their_own_roles(world, root):
    me = User.objects.get(username=f"root-{world.slug}")
    own = row_of(world, Membership, user=me)
    assert root.post(f"{AT}membership/{own.id}/withdraw/").status_code == 403
    assert root.post(f"{AT}user/{me.id}/grant-role/", {"role": "reviewer"}).status_code == 403
    assert row_of(world, Membership, user=me).is_active
    assert acts_on(root, f"{AT}membership/{own.id}/change/") == acts_on(root, f"{AT}user/{me.id}/change/") == []


def test_of_two_admins_who_withdraw_each_other_one_stays(world, desk, at_once):
    clients = [admin_of(world, desk, name) for name in ("root", "rita")]
    with world.inside():
        held = {one.user.username.split("-")[0]: one for one in Membership.objects.filter(role="admin")}
    addresses = [f"{AT}membership/{held[name].id}/withdraw/" for name in ("rita", "root")]
    answers = at_once(
        *(lambda client=client, at=at: client.post(at) for client, at in zip(clients, addresses, strict=True))
    )
    done = [answer.headers.get("Location", "").endswith("/change/") for answer in answers]
    assert sorted(done) == [False, True]
    refused = answers[done.index(False)]
    # or logged out already: without a role nobody is in the admin
    assert refused.status_code in (403, 409) or refused.headers["Location"].startswith("/admin/login/")
    with world.inside():
        assert Membership.objects.filter(role="admin", is_active=True).count() == 1


def test_the_last_admin_stays_whoever_asks(world):
    identities.provision(world.slug, people=[(f"root-{world.slug}", "admin")])
    user = User.objects.get(username=f"root-{world.slug}")
    with world.inside(), pytest.raises(people.LastAdmin):
        people.withdraw_role(user, "admin", actor=system(world.tenant_id, "a test"))


# -- The policy and the tenant


def policy_of(world):
    return row_of(world, Tenant, id=world.tenant_id).policy


def test_the_policy_is_changed_with_rules_of_its_own(world, root):
    rules = "retract agent 2\n\namend human 1 high\n"
    answer = root.post(f"{AT}policychange/propose/", {"preset": "standard", "overrides": rules, "reason": "a try"})
    assert answer.status_code == 302
    assert policy_of(world) == "standard"
    with world.inside():
        found = set(
            PolicyRule.objects.filter(op__in=["retract", "amend"], approvals__gt=0).values_list(
                "op", "proposer_kind", "sensitivity", "approvals"
            )
        )
    assert found == {("retract", "agent", None, 2), ("amend", "human", "high", 1)}
    page = root.get(f"{AT}policychange/").content.decode()
    assert "In force: standard" in page
    assert "two approvals" in page
    assert "one approval for sensitivity high" in page


@pytest.mark.parametrize(
    "rules", ["retract agent", "retract robot 1", "shout agent 1", "amend human 3", "amend human 1 loud"]
)
def test_a_line_that_is_no_rule_is_named(world, root, rules):
    answer = root.post(
        f"{AT}policychange/propose/", {"preset": "open", "overrides": f"retract agent 2\n{rules}", "reason": "a try"}
    )
    assert answer.status_code == 400
    assert "Line 2 is not a rule" in answer.content.decode()
    assert policy_of(world) == "standard"


def test_under_strict_a_second_admin_decides(strict_world, desk):
    world = strict_world
    root, rita = admin_of(world, desk), admin_of(world, desk, "rita")
    root.post(f"{AT}policychange/propose/", {"preset": "open", "overrides": "", "reason": "trust"})
    assert policy_of(world) == "strict"
    change = row_of(world, PolicyChange)
    assert "waits for a second admin" in rita.get(f"{AT}policychange/").content.decode()
    address = f"{AT}policychange/{change.id}/"
    assert acts_on(root, f"{address}change/") == ["reject"]
    assert root.post(f"{address}apply/", {"reason": ""}).status_code == 403
    assert policy_of(world) == "strict"
    assert acts_on(rita, f"{address}change/") == ["apply", "reject"]
    assert rita.post(f"{address}apply/", {"reason": "agreed"}).status_code == 302
    assert policy_of(world) == "open"
    assert rita.post(f"{address}apply/", {"reason": "again"}).status_code == 409
    assert acts_on(rita, f"{address}change/") == []


def test_a_weaker_policy_is_announced_to_everybody_and_waits(world, root, desk):
    rita = admin_of(world, desk, "rita")
    answer = root.post(f"{AT}policychange/propose/", {"preset": "open", "overrides": "", "reason": "ease"}, follow=True)
    assert "It takes effect at" in answer.content.decode()
    assert policy_of(world) == "standard"
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    for page in (root.get("/admin/"), auditor.get("/admin/"), rita.get(f"{AT}policychange/")):
        assert "takes effect at" in page.content.decode()
        assert f"open, proposed by root-{world.slug}" in page.content.decode()
    change = row_of(world, PolicyChange)
    assert "unless an admin rejects it" in rita.get(f"{AT}policychange/{change.id}/change/").content.decode()
    assert root.post(f"{AT}policychange/{change.id}/apply/", {"reason": ""}).status_code == 403
    assert rita.post(f"{AT}policychange/{change.id}/apply/", {"reason": "agreed"}).status_code == 302
    assert policy_of(world) == "open"
    assert "takes effect at" not in auditor.get("/admin/").content.decode()


def test_a_rejected_change_changes_nothing(strict_world, desk):
    world = strict_world
    root = admin_of(world, desk)
    root.post(f"{AT}policychange/propose/", {"preset": "open", "overrides": "", "reason": "trust"})
    change = row_of(world, PolicyChange)
    assert root.post(f"{AT}policychange/{change.id}/reject/", {"reason": "no"}).status_code == 302
    assert policy_of(world) == "strict"
    assert entries(world, "policy.rejected")[0]["reason"] == "no"


def test_the_tenants_days_are_changed(world, root):
    address = f"{AT}tenant/{world.tenant_id}/settings/"
    assert 'value="30"' in root.get(address).content.decode()
    levels = {"private": "high", "public": "none", "team": "low", "agent": "none"}
    assert root.post(address, {"pending_edit_days": "7", "search_language": "german", **levels}).status_code == 302
    tenant = row_of(world, Tenant, id=world.tenant_id)
    assert (tenant.pending_edit_days, tenant.default_sensitivities) == (7, {"private": "high", "team": "low"})
    assert tenant.search_language == "german"
    (entry,) = entries(world, "tenant.changed")
    assert entry["before"] == {
        "pending_edit_days": 30,
        "default_sensitivities": {},
        "search_language": "english",
        "hybrid_alpha": "0.5",
        "ephemeral_hours": 24,
        "agent_edits_per_hour": 20,
        "agent_pending_edits": 100,
    }
    assert (entry["pending_edit_days"], entry["default_sensitivities"]) == (7, {"private": "high", "team": "low"})
    for days, status in (("0", 400), ("3651", 400), ("7", 409), ("", 400)):
        assert root.post(address, {"pending_edit_days": days, **levels}).status_code == status
    assert root.post(address, {"pending_edit_days": "7", **levels, "private": "shouted"}).status_code == 400
    assert root.post(address, {"pending_edit_days": "7", **levels, "search_language": "klingon"}).status_code == 400


# -- Capsules


def test_an_admin_revokes_a_capsule(world, elsewhere, root, desk):
    with world.inside():
        reader = Api(identities.issue_key(actor=system(world.tenant_id, "a test"), agent=_agent(world)))
    capsule, theirs = (
        one.alice.ok(
            "post",
            "capsules",
            {
                "subject_type": "customer",
                "subject_id": "jack",
                "scope": "user",
                "audience_agent_ids": ["carol" if one is world else "alice"],
                "items": {"chunks": [one.chunk()]},
            },
        )["capsule_id"]
        for one in (world, elsewhere)
    )
    assert reader.get(f"capsules/{capsule}").status_code == 200
    at = "/admin/capsules/effectivecapsule/"
    assert "revoke" in acts_on(root, f"{at}{capsule}/change/")
    assert root.get(f"{at}{capsule}/revoke/").status_code == 200
    assert desk(world.bob_name).client.post(f"{at}{capsule}/revoke/").status_code == 403
    assert root.post(f"{at}{theirs}/revoke/").status_code == 404
    assert reader.get(f"capsules/{capsule}").status_code == 200
    assert root.post(f"{at}{capsule}/revoke/").status_code == 302
    assert reader.get(f"capsules/{capsule}").status_code >= 400
    assert "revoke" not in acts_on(root, f"{at}{capsule}/change/")
    assert [entry["capsule"] for entry in entries(world, "capsule.revoked")] == [capsule]


def _agent(world):
    return agents.create_agent("carol", [], actor=system(world.tenant_id, "a test"))
