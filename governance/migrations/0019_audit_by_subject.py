"""The audit trail by subject, and edits by who proposed them."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0017_sessions_end")]

    operations = [
        migrations.AddIndex("edit", models.Index(fields=["tenant", "proposed_by"], name="edit_proposer")),
        RunSQLFile("governance", "0019_audit_by_subject"),
    ]
