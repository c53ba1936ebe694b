"""Active context bundles: what they are packed from, and the record of what was injected."""

import django.db.models.deletion
import django.utils.timezone
import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import governance.models.tenancy
from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0010_erasure")]

    operations = [
        migrations.CreateModel(
            name="ContextBundle",
            fields=[
                ("id", models.UUIDField(default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False)),
                ("built_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("actor_kind", models.TextField()),
                ("actor_id", models.UUIDField()),
                ("actor", models.TextField()),
                ("request", models.JSONField(default=dict)),
                ("query_hash", models.BinaryField(max_length=32, null=True)),
                ("items", models.JSONField(default=list)),
                ("omissions", models.JSONField(default=list)),
                ("total_tokens", models.IntegerField()),
                ("edits_applied", models.IntegerField()),
                ("tenant", models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="governance.tenant")),
            ],
            options={"abstract": False},
        ),
        migrations.AddIndex(
            model_name="effectivechunk",
            index=models.Index(condition=models.Q(("is_retracted", False), ("source", "summary")), fields=["tenant", "subject_type", "subject_id", "-ts"], name="effective_chunk_subject_notes"),
        ),
        migrations.AddIndex(
            model_name="effectivechunk",
            index=models.Index(condition=models.Q(("is_retracted", False), ("source", "summary")), fields=["tenant", "project_id", "-ts"], name="effective_chunk_project_notes"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="contextbundle",
            trigger=pgtrigger.compiler.Trigger(name="append_only", sql=pgtrigger.compiler.UpsertTriggerSql(execute="governance_deny_change()", func="RETURN NULL;", hash="b35802f90ee023cbc570b511b5de5eb98a17cc29", operation="UPDATE OR DELETE", pgid="pgtrigger_append_only_98896", table="memory_contextbundle", when="BEFORE")),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="contextbundle",
            trigger=pgtrigger.compiler.Trigger(name="no_truncate", sql=pgtrigger.compiler.UpsertTriggerSql(execute="governance_deny_change()", func="RETURN NULL;", hash="f29ac10f7c4acf3f7a472228d9a3a29b8b282f78", level="STATEMENT", operation="TRUNCATE", pgid="pgtrigger_no_truncate_34c4a", table="memory_contextbundle", when="BEFORE")),
        ),
        RunSQLFile("memory", "0011_context"),
    ]
