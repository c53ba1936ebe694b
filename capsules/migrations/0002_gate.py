"""Handing over."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0001_initial"), ("memory", "0004_read")]

    operations = [RunSQLFile("capsules", "0002_gate")]
