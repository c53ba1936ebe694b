from django.db import migrations, models


#: The rules of each preset for an agent's own memory and for protected memory (preset_rules in the database).
_ADD_RULES = """
INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, approvals)
SELECT t.id, gen_random_uuid(), r.op, 'agent', r.approvals
FROM governance_tenant t
CROSS JOIN LATERAL (VALUES ('own', (t.policy = 'strict')::int), ('protected', (t.policy <> 'open')::int)) r (op, approvals)
"""
_REMOVE_RULES = "DELETE FROM governance_policyrule WHERE op IN ('own', 'protected')"
_GRANT = "GRANT UPDATE (agent_edits_per_hour, agent_pending_edits) ON governance_tenant TO suture_gate"


class Migration(migrations.Migration):
    """Limits of an agent's edits, and the policy's rules for whose words an edit changes."""

    dependencies = [
        ("governance", "0002_rights"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="edit",
            name="edit_channel_known",
        ),
        migrations.RemoveConstraint(
            model_name="policyrule",
            name="policy_rule_op_known",
        ),
        migrations.AddField(
            model_name="editstate",
            name="counts_against",
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name="tenant",
            name="agent_edits_per_hour",
            field=models.PositiveIntegerField(db_default=20),
        ),
        migrations.AddField(
            model_name="tenant",
            name="agent_pending_edits",
            field=models.PositiveIntegerField(db_default=100),
        ),
        migrations.AddIndex(
            model_name="editstate",
            index=models.Index(condition=models.Q(("counts_against__isnull", False)), fields=["tenant", "counts_against", "status", "created_at"], name="edit_state_counted"),
        ),
        migrations.AddConstraint(
            model_name="edit",
            constraint=models.CheckConstraint(condition=models.Q(("channel__isnull", True), models.Q(("channel__in", ["private", "public", "team", "agent"]), ("channel__isnull", False)), models.Q(("channel__isnull", False), ("channel__startswith", "agent:")), _connector="OR"), name="edit_channel_known"),
        ),
        migrations.AddConstraint(
            model_name="policyrule",
            constraint=models.CheckConstraint(condition=models.Q(("op__in", ["retract", "amend", "quarantine", "attenuate", "block", "revert", "decide", "own", "protected"])), name="policy_rule_op_known"),
        ),
        migrations.RunSQL(_GRANT, migrations.RunSQL.noop),
        migrations.RunSQL(_ADD_RULES, _REMOVE_RULES),
    ]
