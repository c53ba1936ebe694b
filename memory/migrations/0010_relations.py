import django.db.models.deletion
import governance.models.tenancy
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models


_RIGHTS = """
    GRANT SELECT, INSERT ON memory_relation TO suture_gate;
    GRANT SELECT ON memory_relation TO suture_app, suture_review;
    SELECT governance_guard_always();
"""


class Migration(migrations.Migration):
    """Records may update earlier ones, and what repeats delivered memory follows it."""

    dependencies = [
        ("governance", "0003_limits_of_agents"),
        ("memory", "0009_values"),
    ]

    operations = [
        migrations.CreateModel(
            name="Relation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.TextField(choices=[("update", "Update"), ("copy", "Copy"), ("quote", "Quote")])),
                ("later_id", models.UUIDField()),
                ("earlier_id", models.UUIDField(null=True)),
                ("key", models.TextField(null=True)),
                ("key_digest", models.BinaryField(null=True)),
                ("recorder_kind", models.TextField()),
                ("recorded_by", models.UUIDField()),
                ("recorder", models.TextField()),
                ("at", models.DateTimeField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="governance.tenant",
                    ),
                ),
            ],
            options={
                "abstract": False,
                "indexes": [
                    models.Index(
                        condition=models.Q(("earlier_id__isnull", False)),
                        fields=["tenant", "earlier_id"],
                        name="relation_of_earlier",
                    ),
                    models.Index(
                        condition=models.Q(("key_digest__isnull", False)),
                        fields=["tenant", "key_digest", "-id"],
                        name="relation_of_key",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "later_id", "earlier_id"), name="relation_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["update", "copy", "quote"])), name="relation_kind_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("key__isnull", False), ("key_digest__isnull", False), ("kind", "update")),
                            models.Q(
                                ("earlier_id__isnull", False), ("key__isnull", True), ("key_digest__isnull", True)
                            ),
                            _connector="OR",
                        ),
                        name="relation_has_earlier_or_key",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("earlier_id__isnull", True),
                            models.Q(("earlier_id", models.F("later_id")), _negated=True),
                            _connector="OR",
                        ),
                        name="relation_is_of_two",
                    ),
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="relation",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_deny_change()",
                    func="RETURN NULL;",
                    hash="20d4d9a293ba934ac622f6c6df707daaa1d602c0",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_38064",
                    table="memory_relation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="relation",
            trigger=pgtrigger.compiler.Trigger(
                name="no_truncate",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_deny_change()",
                    func="RETURN NULL;",
                    hash="e72e5f6fbe020a697fe0e10a24009d637083f433",
                    level="STATEMENT",
                    operation="TRUNCATE",
                    pgid="pgtrigger_no_truncate_34a5d",
                    table="memory_relation",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="relation",
            trigger=pgtrigger.compiler.Trigger(
                name="note_recorded",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_note_recorded()",
                    func="RETURN NULL;",
                    hash="99af6304cb244c72f53a43b9565049da78096411",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_note_recorded_6e348",
                    referencing="REFERENCING NEW TABLE AS recorded ",
                    table="memory_relation",
                    when="AFTER",
                ),
            ),
        ),
        migrations.RunSQL(_RIGHTS, migrations.RunSQL.noop),
    ]
