"""What is sealed of capsules, and what is erased."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0004_read"), ("governance", "0009_erasure"), ("memory", "0009_leaves")]

    operations = [RunSQLFile("capsules", "0005_leaves")]
