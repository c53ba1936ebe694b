"""The fold of approved edits, and the projection that follows it."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0002_record")]

    operations = [RunSQLFile("memory", "0003_fold")]
