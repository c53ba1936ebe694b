"""A tenant in which everything is that decides who may do what, made by the services; and what somebody changes of it
with the guards switched off."""

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from django.db import connections, transaction
from django.utils import timezone

from governance.acting.credentials import system
from governance.acting.principals import Principal
from governance.edits import policies
from governance.identity import agents, identities, invitations, people, superusers
from governance.models import Agent, ApiKey, Invitation, PolicyChange, User
from governance.relations import implying, rules
from tests.erasure.conftest import Admins, admins_of
from tests.factories import SuperuserFactory
from tests.world import World


@dataclass
class Governed:
    """alice and dora are agents, bob reviews, and carol and dave are admins. ann was a reviewer. charlie, of another
    tenant, is invited as an auditor. boss is a superuser."""

    world: World
    admins: Admins
    bob: User
    ann: User
    charlie: User
    boss: User
    dora: Agent
    #: The key that was revoked.
    revoked: ApiKey
    #: alice's key, which expires.
    expiring: ApiKey
    invitation: Invitation
    #: The change that waits for its hour.
    waiting: PolicyChange

    @property
    def operator(self) -> Principal:
        return system(self.world.tenant_id, "a test")


def make_superuser() -> User:
    """A superuser of whom the ledgers say so."""
    boss: User = SuperuserFactory()
    superusers.record_made(boss.id)
    return boss


def govern(world: World, elsewhere: World) -> Governed:
    """Give the tenant one of everything, twice where it changes."""
    admins = admins_of(world)
    operator = system(world.tenant_id, "a test")
    bob, ann = (User.objects.get(username=name) for name in (world.bob_name, world.ann_name))
    charlie = User.objects.get(username=elsewhere.bob_name)
    boss = make_superuser()
    with world.inside():
        carol = admins.carol_principal
        dora = agents.create_agent("dora", ["private", "agent"], actor=carol)
        agents.set_quarantine_reader(dora, is_allowed=True, actor=carol)
        agents.set_quarantine_reader(dora, is_allowed=False, actor=carol)
        agents.deactivate_agent(dora, actor=carol)
        alice = Agent.objects.get(tenant_id=world.tenant_id, slug="alice")
        identities.issue_key(
            actor=carol,
            agent=alice,
            expires_at=timezone.now() + timedelta(days=7),
            speaks_for=["patient:*"],
            must_speak_for=True,
        )
        implying.add_implied_relation("patient", "clinician_of", "covering", actor=carol)
        rules.set_audience_rule(
            rules.Conditions(subject_type="patient"), ["#", "#clinician_of"], actor=carol, reason="a test"
        )
        expiring = ApiKey.objects.get(tenant_id=world.tenant_id, agent=alice, expires_at__isnull=False)
        people.withdraw_role(ann, "reviewer", actor=carol)
        revoked = identities.revoke_key(world.keys["ann"].split("_")[1], actor=carol)
        invitation = invitations.invite(charlie.username, ["auditor"], actor=carol)
        identities.change_tenant(actor=carol, default_sensitivities={"public": "low"}, pending_edit_days=7)
        of_promotion: dict[str, Any] = {"sessions": 5, "low_trust": 0.35}
        policies.propose_change(actor=carol, promotion=of_promotion, reason="a test")
        waiting = policies.propose_change(actor=carol, preset="open", reason="a test")
        people.deactivate_person(ann, actor=replace(operator, is_superuser=True))
    assert waiting.needs_second
    return Governed(world, admins, bob, ann, charlie, boss, dora, revoked, expiring, invitation, waiting)


def change(sql: str, *params: Any) -> None:
    """Run one statement as the owner of the tables, which must change something."""
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(sql, params)
        assert cursor.rowcount > 0, sql
