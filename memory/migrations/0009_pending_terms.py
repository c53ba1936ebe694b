"""The index of words merges more new entries at once."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0008_without_recorders'),
    ]

    operations = [
        RunSQLFile("memory", "0009_pending_terms"),
    ]
