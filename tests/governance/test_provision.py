"""`manage.py provision`: makes a tenant with its people, or adds to one; says each secret once."""

import json
from datetime import timedelta

import pytest
from django.contrib.auth import authenticate as log_in
from django.core.management import CommandError, call_command
from django.test import RequestFactory
from django.utils import timezone

from governance.acting import gate
from governance.models import Agent, ApiKey, Entry, Membership, PolicyRule, Tenant, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def provision(capsys):
    def run(*arguments):
        call_command("provision", *arguments)
        return capsys.readouterr().out

    return run


@pytest.fixture
def name(request):
    """A name of this test's own: usernames are one person on the whole server."""
    return lambda text: f"{text}-{abs(hash(request.node.name)) % 10**8}"


def inside(slug):
    return gate.tenant(gate.tenants()[slug])


def test_it_works(provision, name):
    slug, reviewer, auditor = name("acme-corp"), name("bob"), name("ann")

    made = json.loads(
        provision(
            slug,
            *("--agent", "agent-alice", "--agent", "agent-bob:public,team"),
            *("--reviewer", reviewer, "--auditor", auditor, "--policy", "strict", "--json"),
        )
    )

    assert set(made) == {"tenant", "agents", "users"}
    assert made["tenant"] == slug
    assert {agent: set(secrets) for agent, secrets in made["agents"].items()} == {
        "agent-alice": {"key"},
        "agent-bob": {"key"},
    }
    assert {user: set(secrets) for user, secrets in made["users"].items()} == {
        reviewer: {"key", "password"},
        auditor: {"key", "password"},
    }
    with inside(slug):
        assert Tenant.objects.get(slug=slug).policy == "strict"
        channels = dict(Agent.objects.values_list("slug", "channels"))
        assert channels == {"agent-alice": ["private", "public", "team", "agent"], "agent-bob": ["public", "team"]}
        roles = dict(Membership.objects.values_list("user__username", "role"))
        assert roles == {reviewer: "reviewer", auditor: "auditor"}
        assert set(PolicyRule.objects.values_list("approvals", flat=True)) == {1}


def test_the_keys_and_the_password_work(provision, name, world):
    slug, reviewer = name("acme"), name("bob")
    made = json.loads(provision(slug, "--agent", "alice", "--reviewer", reviewer, "--json"))

    caller = type(world.alice)
    assert caller(made["agents"]["alice"]["key"]).get("events").status_code == 200
    assert caller(made["users"][reviewer]["key"]).get("edits").status_code == 200
    request = RequestFactory().post("/admin/login/")
    assert log_in(request, username=reviewer, password=made["users"][reviewer]["password"]) is not None


def test_a_second_time_makes_nothing_and_says_nothing(provision, name):
    arguments = [name("acme"), "--agent", "alice", "--reviewer", name("bob"), "--json"]
    provision(*arguments)
    with inside(arguments[0]):
        entries = Entry.objects.count()

    again = json.loads(provision(*arguments))

    assert again == {"tenant": arguments[0], "agents": {}, "users": {}}
    with inside(arguments[0]):
        assert Entry.objects.count() == entries
        assert (Agent.objects.count(), Membership.objects.count()) == (1, 1)


def test_a_tenant_is_extended_by_what_is_new(provision, name):
    slug = name("acme")
    provision(slug, "--agent", "alice", "--policy", "open")

    made = json.loads(provision(slug, "--agent", "alice", "--agent", "carol", "--json"))

    assert set(made["agents"]) == {"carol"}
    with inside(slug):
        assert set(Agent.objects.values_list("slug", flat=True)) == {"alice", "carol"}
        # not put back to the default
        assert Tenant.objects.get(slug=slug).policy == "open"


def test_the_policy_of_a_tenant_can_be_changed(provision, name):
    slug = name("acme")
    provision(slug)
    provision(slug, "--policy", "strict")

    with inside(slug):
        assert Tenant.objects.get(slug=slug).policy == "strict"
        assert set(PolicyRule.objects.values_list("approvals", flat=True)) == {1}
        assert PolicyRule.objects.count() == 15


def test_one_person_may_hold_two_roles(provision, name):
    slug, both = name("acme"), name("bob")

    made = json.loads(provision(slug, "--reviewer", both, "--auditor", both, "--json"))

    assert set(made["users"]) == {both}
    assert set(made["users"][both]) == {"key", "password"}
    with inside(slug):
        assert set(Membership.objects.values_list("role", flat=True)) == {"reviewer", "auditor"}


def test_a_person_of_the_server_gets_a_key_in_a_second_tenant_and_keeps_the_password(provision, name):
    here, there, person = name("here"), name("there"), name("bob")
    first = json.loads(provision(here, "--reviewer", person, "--json"))["users"][person]

    second = json.loads(provision(there, "--reviewer", person, "--json"))["users"][person]

    assert set(second) == {"key"}
    assert second["key"] != first["key"]
    assert User.objects.filter(username=person).count() == 1


def test_every_act_is_in_the_ledger(provision, name):
    slug = name("acme")
    provision(slug, "--agent", "alice", "--reviewer", name("bob"))

    with inside(slug):
        types = list(Entry.objects.order_by("id").values_list("type", flat=True))
    acts = ["tenant.created", "schema.fingerprinted", "policy.changed", "agent.created", "identity", "key.issued"]
    acts += ["role.granted", "key.issued"]
    assert types == ["genesis", *acts]


def test_no_secret_is_in_the_ledger(provision, name):
    slug, person = name("acme"), name("bob")
    made = json.loads(provision(slug, "--agent", "alice", "--reviewer", person, "--json"))

    with inside(slug):
        said = "".join(bytes(entry.canonical).decode() for entry in Entry.objects.all())
    for secret in (made["agents"]["alice"]["key"], *made["users"][person].values()):
        assert secret not in said


@pytest.mark.parametrize(
    "arguments",
    [
        ["Acme Corp"],
        [""],
        ["-acme"],
        ["a" * 51],
        ["acme/../x"],
        ["acme", "--agent", "Agent Alice"],
        ["acme", "--agent", "alice:everywhere"],
        ["acme", "--reviewer", "bob smith"],
    ],
)
def test_a_bad_name_or_channel_makes_nothing(provision, arguments):
    before = gate.tenants()

    with pytest.raises(CommandError):
        provision(*arguments)

    assert gate.tenants() == before


def test_without_json_it_is_for_people(provision, name):
    slug = name("acme")

    said = provision(slug, "--agent", "alice")

    assert said.startswith(f"tenant {slug}\nagent alice key sut_")
    assert "nothing to create" in provision(slug, "--agent", "alice")


def test_new_keys_expire_when_the_operator_says(provision, name):
    slug, reviewer = name("acme"), name("bob")
    later = timezone.now() + timedelta(days=90)

    provision(slug, "--agent", "alice", "--reviewer", reviewer, "--expires", later.isoformat(), "--json")
    provision(slug, "--agent", "zoe", "--expires", "30d", "--json")
    provision(slug, "--agent", "yan", "--json")

    with inside(slug):
        keys = ApiKey.objects.filter(tenant__slug=slug).order_by("created_at")
        first, second, third, fourth = keys.values_list("expires_at", flat=True)
    assert (first, second, fourth) == (later, later, None)
    assert third is not None
    assert abs(third - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)
    with pytest.raises((CommandError, SystemExit)):
        provision(slug, "--agent", "zed", "--expires", "yesterday")
