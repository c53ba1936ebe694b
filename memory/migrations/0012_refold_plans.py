"""Refolds go by keys."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0011_context")]

    operations = [RunSQLFile("memory", "0012_refold_plans")]
