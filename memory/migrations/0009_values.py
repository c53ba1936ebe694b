import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.deletion
import django.utils.timezone
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import governance.models.tenancy

_ADD = """
    -- Where a text stands, to compare it with the reach of a value.
    CREATE TYPE value_place AS (
        recorded_at timestamptz, subject_type text, subject_id text, project_id text, session_id text, recorder text,
        channel text, ts timestamptz
    );
    GRANT SELECT, INSERT ON memory_value TO suture_gate;
    GRANT SELECT, INSERT, UPDATE, DELETE ON memory_guard, memory_pendingrewording TO suture_gate;
    GRANT SELECT, INSERT, DELETE ON memory_rewording TO suture_gate;
    GRANT SELECT ON memory_value TO suture_app, suture_review;
    GRANT SELECT (tenant_id, id, applied_at, ends_at) ON memory_guard TO suture_app;
    GRANT SELECT (tenant_id, id, value_id) ON memory_pendingrewording TO suture_app;
    SELECT governance_guard_always();
"""


class Migration(migrations.Migration):
    """Values are corrected and forgotten wherever they stand."""

    dependencies = [
        ("governance", "0003_limits_of_agents"),
        ("memory", "0008_embedding_sets"),
    ]

    operations = [
        migrations.CreateModel(
            name="Value",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("content_id", models.UUIDField()),
                ("subject_type", models.TextField(null=True)),
                ("subject_id", models.TextField(null=True)),
                ("project_id", models.TextField(null=True)),
                ("session_id", models.TextField(null=True)),
                ("by_recorder", models.TextField(null=True)),
                ("channel", models.TextField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("recorder_kind", models.TextField()),
                ("recorded_by", models.UUIDField()),
                ("recorder", models.TextField()),
                ("recorded_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "retention",
                    models.TextField(
                        choices=[
                            ("committed", "Committed"),
                            ("relationship", "Relationship"),
                            ("ephemeral", "Ephemeral"),
                        ],
                        default="relationship",
                    ),
                ),
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
            },
        ),
        migrations.CreateModel(
            name="Guard",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("digest", models.BinaryField(max_length=32)),
                ("cue", models.BigIntegerField()),
                ("cue_place", models.IntegerField()),
                ("length", models.IntegerField()),
                ("instead_id", models.UUIDField(null=True)),
                ("applied_at", models.DateTimeField()),
                ("subject_type", models.TextField(null=True)),
                ("subject_id", models.TextField(null=True)),
                ("project_id", models.TextField(null=True)),
                ("session_id", models.TextField(null=True)),
                ("by_recorder", models.TextField(null=True)),
                ("channel", models.TextField(null=True)),
                ("since", models.DateTimeField(null=True)),
                ("until", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
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
                "indexes": [models.Index(fields=["tenant", "cue"], name="guard_cue")],
            },
        ),
        migrations.CreateModel(
            name="PendingRewording",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("value_id", models.UUIDField()),
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
                "indexes": [models.Index(fields=["tenant", "value_id"], name="pending_rewording_value")],
            },
        ),
        migrations.CreateModel(
            name="Rewording",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("content_id", models.UUIDField()),
                ("span_start", models.IntegerField(null=True)),
                ("span_end", models.IntegerField(null=True)),
                ("record_id", models.UUIDField()),
                ("value_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
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
                "indexes": [
                    models.Index(fields=["tenant", "content_id"], name="rewording_of"),
                    models.Index(fields=["tenant", "record_id"], name="rewording_record"),
                    django.contrib.postgres.indexes.GinIndex(fields=["value_ids"], name="rewording_values"),
                ],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("value_ids", []), _negated=True), name="rewording_has_values"
                    )
                ],
            },
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="value",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_deny_change()",
                    func="RETURN NULL;",
                    hash="00695298d68fcf66ada111830bb8dd4c9d3a6258",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_a9342",
                    table="memory_value",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="value",
            trigger=pgtrigger.compiler.Trigger(
                name="no_truncate",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_deny_change()",
                    func="RETURN NULL;",
                    hash="052f83bcaee417072a6f22211f5dd98361d8f1cf",
                    level="STATEMENT",
                    operation="TRUNCATE",
                    pgid="pgtrigger_no_truncate_e42d0",
                    table="memory_value",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="value",
            trigger=pgtrigger.compiler.Trigger(
                name="note_recorded",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    execute="governance_note_recorded()",
                    func="RETURN NULL;",
                    hash="7a199394029c294ef0d34a445bc6d2b5cc75d6b6",
                    level="STATEMENT",
                    operation="INSERT",
                    pgid="pgtrigger_note_recorded_0010e",
                    referencing="REFERENCING NEW TABLE AS recorded ",
                    table="memory_value",
                    when="AFTER",
                ),
            ),
        ),
        migrations.RunSQL(_ADD, "DROP TYPE value_place CASCADE"),
    ]
