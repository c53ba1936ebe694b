"""The audit trail's indexes and its gate."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0011_day_figures")]

    operations = [
        migrations.AddIndex("entry", models.Index(fields=["tenant", "type", "-id"], name="entry_type")),
        RunSQLFile("governance", "0012_audit"),
    ]
