"""Capsules as targets of edits."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0002_gate"), ("governance", "0010_fold_without")]

    operations = [RunSQLFile("capsules", "0003_fold")]
