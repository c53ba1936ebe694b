"""Who may do what, changed past the server."""

from hashlib import sha256

from tests.tamperings.commands import Command
from tests.tamperings.tampering import Class, Tampering, insert_copy, sql

CHAIN = Command.VERIFY_CHAIN


def _case(name: str, statement: str, *parts: str, **values: object) -> Tampering:
    return Tampering(
        Class.AUTHORITY, name, sql(statement, **values), {CHAIN: [("authority without proof: rows: ", *parts)]}
    )


def _agent(assignment: str, name: str, *parts: str) -> Tampering:
    return _case(
        name, f"UPDATE governance_agent SET {assignment} WHERE id = %(dora_id)s", *parts, "governance_agent {dora_id}"
    )


def _key(assignment: str, name: str, *parts: str) -> Tampering:
    return _case(
        name,
        f"UPDATE governance_apikey SET {assignment} WHERE id = %(expiring_id)s",
        *parts,
        "governance_apikey {expiring_id}",
    )


def _tenant(assignment: str, name: str, *parts: str) -> Tampering:
    return _case(
        name, f"UPDATE governance_tenant SET {assignment} WHERE id = %(tenant)s", *parts, "governance_tenant {tenant}"
    )


TAMPERINGS = [
    _case(
        "a stranger who is made an admin",
        "INSERT INTO governance_membership (tenant_id, id, user_id, role, is_active, created_at)"
        " VALUES (%(tenant)s, %(forged)s, %(charlie_id)s, 'admin', true, now())",
        "{charlie} has the role admin, but no entry grants it",
        "governance_membership {forged}",
    ),
    _case(
        "a reviewer who is made an admin",
        "UPDATE governance_membership SET role = 'admin' WHERE tenant_id = %(tenant)s AND user_id = %(bob_id)s",
        "{bob} has the role admin, but no entry grants it",
        "(governance_membership ",
    ),
    _case(
        "a withdrawn role that is back",
        "UPDATE governance_membership SET is_active = true WHERE tenant_id = %(tenant)s AND user_id = %(ann_id)s",
        "{ann} has the role reviewer, but its last entry withdrew it",
        "(governance_membership ",
    ),
    _case(
        "a role that is taken",
        "UPDATE governance_membership SET is_active = false WHERE tenant_id = %(tenant)s AND user_id = %(bob_id)s",
        "{bob} no longer has the role reviewer",
        "(governance_membership ",
    ),
    _case(
        "a planted agent",
        "INSERT INTO governance_agent (tenant_id, id, slug, channels, is_active, reads_quarantined, created_at)"
        " VALUES (%(tenant)s, %(forged)s, 'mallory', '{private}', true, true, now())",
        "The agent mallory is in the database, but no entry created it",
        "governance_agent {forged}",
    ),
    _agent("is_active = true", "an agent that is active again", "is_active of the agent dora is True"),
    _agent(
        "reads_quarantined = true",
        "an agent that reads what is quarantined",
        "reads_quarantined of the agent dora is True",
    ),
    _agent(
        "channels = '{private,agent,team}'",
        "the channels of an agent",
        "channels of the agent dora is ['agent', 'private', 'team']",
    ),
    _agent("slug = 'mallory'", "the name of an agent", "slug of the agent dora is mallory"),
    _case(
        "a planted key",
        "INSERT INTO governance_apikey (tenant_id, id, user_id, prefix, digest, created_at)"
        " VALUES (%(tenant)s, %(forged)s, %(bob_id)s, 'deadbeef', %(digest)s, now())",
        "{bob} has the key deadbeef, but no entry issued it",
        "governance_apikey {forged}",
        digest=sha256(b"x").digest(),
    ),
    _key("digest = sha256('planted')", "a replaced key", "digest of the key {expiring} is "),
    _key("speaks_for = '{*}'", "a key that speaks for all", "speaks_for of the key {expiring} is ['*']"),
    _key("must_speak_for = false", "a key that need not name a principal", "must_speak_for of the key {expiring} is "),
    _key("expires_at = NULL", "a key that never expires", "expires_at of the key {expiring} is "),
    _key("issued_by = NULL", "the issuer of a key", "issued_by of the key {expiring} is nothing"),
    _key("agent_id = %(dora_id)s", "the owner of a key", "of the key {expiring} is "),
    _case(
        "a revoked key that is good again",
        "UPDATE governance_apikey SET revoked_at = NULL WHERE id = %(revoked_id)s",
        "is_revoked of the key {revoked} is False",
        "governance_apikey {revoked_id}",
    ),
    _case(
        "a deleted key",
        "DELETE FROM governance_apikey WHERE id = %(expiring_id)s",
        "The key {expiring} of alice was issued, but is not in the database",
        "governance_apikey {expiring_id}",
    ),
    _case(
        "an account that is made a superuser",
        "UPDATE governance_user SET is_superuser = true WHERE id = %(bob_id)s",
        "{bob} is a superuser, but no entry made them one",
        "governance_user {bob_id}",
    ),
    _case(
        "a planted superuser",
        "INSERT INTO governance_user (id, username, password, is_superuser, is_staff, is_active, first_name, last_name,"
        " email, date_joined, sessions_ended)"
        " VALUES (%(forged)s, 'mallory', 'x', true, true, true, '', '', '', now(), 0)",
        "mallory is a superuser, but no entry made them one",
        "governance_user {forged}",
    ),
    _case(
        "a superuser who is none any more",
        "UPDATE governance_user SET is_superuser = false WHERE id = %(boss_id)s",
        "{boss} is no longer a superuser",
        "governance_user {boss_id}",
    ),
    _case(
        "an account that is active again",
        "UPDATE governance_user SET is_active = true WHERE id = %(ann_id)s",
        "The account of {ann} is active, but no entry made it so",
        "governance_user {ann_id}",
    ),
    _case(
        "an account that is deactivated",
        "UPDATE governance_user SET is_active = false WHERE id = %(bob_id)s",
        "The account of {bob} is deactivated, but no entry made it so",
        "governance_user {bob_id}",
    ),
    _case(
        "an account whose password the tenant's admins may give",
        "UPDATE governance_user SET made_in_id = %(tenant)s WHERE id = %(charlie_id)s",
        "The account of {charlie} was created in this tenant",
        "governance_user {charlie_id}",
    ),
    _case(
        "the name of an account",
        "UPDATE governance_user SET username = 'mallory' WHERE id = %(bob_id)s",
        " is mallory, but the entries say {bob}",
        "(governance_apikey ",
    ),
    _case(
        "a planted invitation",
        insert_copy("governance_invitation", "invitation_id", id="%(forged)s", username="'mallory'"),
        "mallory",
        "(governance_invitation {forged}",
    ),
    _case(
        "an invitation to another role",
        "UPDATE governance_invitation SET roles = '{admin}' WHERE id = %(invitation_id)s",
        "roles of the invitation of {charlie} is ['admin']",
        "governance_invitation {invitation_id}",
    ),
    _case(
        "an invitation that is open for longer",
        "UPDATE governance_invitation SET expires_at = expires_at + interval '1 year' WHERE id = %(invitation_id)s",
        "expires_at of the invitation of {charlie} is ",
        "governance_invitation {invitation_id}",
    ),
    _tenant(
        "policy = 'open'",
        "a policy that is set to open",
        "policy of the tenant {slug} is open, but the entries say standard",
    ),
    _case(
        "a rule that asks for no approval",
        "UPDATE governance_policyrule SET approvals = 0"
        " WHERE tenant_id = %(tenant)s AND op = 'retract' AND proposer_kind = 'agent'",
        "The policy for retract by agent requires no approval",
        "(governance_policyrule ",
    ),
    _case(
        "a planted rule",
        "INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, sensitivity, approvals)"
        " VALUES (%(tenant)s, %(forged)s, 'retract', 'agent', 'none', 0)",
        "The policy has a rule for retract by agent of sensitivity none, but no entry made it",
        "governance_policyrule {forged}",
    ),
    _case(
        "a deleted rule",
        "DELETE FROM governance_policyrule WHERE tenant_id = %(tenant)s AND op = 'amend' AND proposer_kind = 'human'",
        "The policy has no rule for amend by human",
        "(governance_policyrule ",
    ),
    _case(
        "a change of the policy that takes effect sooner",
        "UPDATE governance_policychangestate SET takes_effect_at = takes_effect_at - interval '1 hour'"
        " WHERE change_id = %(waiting_id)s",
        "takes_effect_at of the proposed change",
        "governance_policychangestate {waiting_id}",
    ),
    _case(
        "a change of the policy to something else",
        "UPDATE governance_policychange SET preset = 'strict' WHERE id = %(waiting_id)s",
        "preset of the proposed change of the policy to open is strict",
        "governance_policychange {waiting_id}",
    ),
    _tenant("default_sensitivities = '{}'", "the sensitivities of channels", "default_sensitivities of the tenant"),
    _tenant("pending_edit_days = 3650", "the time that edits wait", "pending_edit_days of the tenant"),
    _tenant("promotion_rules = '{\"sessions\": 1}'", "the rules of promotion", "promotion_rules of the tenant"),
    _case(
        "a planted userset of an audience",
        insert_copy("governance_audienceuserset", "audience_userset", id="%(forged)s", userset="'patient:mallory'"),
        "patient:mallory hears the audience 0, but that audience does not name it",
        "(governance_audienceuserset {forged}",
    ),
    _case(
        "a deleted userset of an audience",
        "DELETE FROM governance_audienceuserset WHERE id = %(audience_userset)s",
        "does not hear the audience 0, which names it",
        "governance_audience {audience}",
    ),
    _case(
        "a planted implied relation",
        insert_copy("governance_impliedrelation", "implied", id="%(forged)s", relation="'visitor_of'"),
        "The implied relation patient: visitor_of implies covering is in the database, but no entry made it",
        "governance_impliedrelation {forged}",
    ),
    _case(
        "an implied relation that implies another",
        "UPDATE governance_impliedrelation SET implies = 'owner_of' WHERE id = %(implied)s",
        "implies of the implied relation is owner_of",
        "governance_impliedrelation {implied}",
    ),
    _case(
        "a rule for another audience",
        "UPDATE governance_audiencerule SET usersets = '{patient:mallory}' WHERE id = %(rule)s",
        "usersets of the audience rule is ['patient:mallory']",
        "governance_audiencerule {rule}",
    ),
    _case(
        "a deleted rule for audiences",
        "DELETE FROM governance_audiencerule WHERE id = %(rule)s",
        "An audience rule was made, but is not in the database",
        "governance_audiencerule {rule}",
    ),
    _case(
        "the re-feed guard is emptied",
        "DELETE FROM memory_removedvalue WHERE tenant_id = %(tenant)s",
        "The retracted text of chunk {approved_chunk} would not be recognised",
        "(memory_removedvalue ",
    ),
    _case(
        "the re-feed guard looks for something else",
        "UPDATE memory_removedvalue SET digest = sha256('tea') WHERE chunk_id = %(approved_chunk)s",
        "The retracted text of chunk {approved_chunk} would not be recognised",
        "(memory_removedvalue ",
    ),
    _case(
        "the re-feed guard looks for more",
        "INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, names_subject, digest, cue, cue_place,"
        " length, reach) SELECT tenant_id, %(forged)s, %(shown)s, edit_id, false, sha256('jack drinks tea'), cue, 1, 3,"
        " 'phrase' FROM memory_removedvalue WHERE chunk_id = %(approved_chunk)s LIMIT 1",
        "A text of chunk {shown} counts as removed by edit ",
        "(memory_removedvalue {forged})",
    ),
]
