"""What is sealed of memory."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0008_retention"), ("governance", "0008_seals")]

    operations = [RunSQLFile("memory", "0009_leaves")]
