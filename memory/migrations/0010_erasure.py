"""Erasure of memory: what a request names, and projections without words."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0009_leaves"), ("governance", "0009_erasure")]

    operations = [RunSQLFile("memory", "0010_erasure")]
