"""What a revert would make of a chunk or a decision."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0006_search_terms"), ("governance", "0010_fold_without")]

    operations = [RunSQLFile("memory", "0007_revert_preview")]
