"""Retention of events and chunks: what may be erased."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile

_RETENTION = [("committed", "Committed"), ("relationship", "Relationship"), ("ephemeral", "Ephemeral")]


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_revert_preview")]

    operations = [
        migrations.AddField("event", "retention", models.TextField(choices=_RETENTION, default="relationship")),
        migrations.AddField("chunk", "retention", models.TextField(choices=_RETENTION, default="relationship")),
        migrations.AddConstraint(
            "event",
            models.CheckConstraint(
                condition=models.Q(retention__in=["committed", "relationship", "ephemeral"]),
                name="event_retention_known",
            ),
        ),
        migrations.AddConstraint(
            "chunk",
            models.CheckConstraint(
                condition=models.Q(retention__in=["committed", "relationship", "ephemeral"]),
                name="chunk_retention_known",
            ),
        ),
        RunSQLFile("memory", "0008_retention"),
    ]
