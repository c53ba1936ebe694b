"""Holding capsules against the record."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0005_leaves")]

    operations = [RunSQLFile("capsules", "0006_drift")]
