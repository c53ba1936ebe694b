"""A memory is found by its chunks' keys."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0018_unread_task_index")]

    operations = [RunSQLFile("memory", "0019_memory_by_key")]
