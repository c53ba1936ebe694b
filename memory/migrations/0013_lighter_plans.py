"""Searches carry less from step to step, and refolds plan once."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0012_refold_plans")]

    operations = [RunSQLFile("memory", "0013_lighter_plans")]
