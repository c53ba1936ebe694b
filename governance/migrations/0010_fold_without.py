"""The fold without some edits: what a revert would do."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0009_erasure")]

    operations = [RunSQLFile("governance", "0010_fold_without")]
