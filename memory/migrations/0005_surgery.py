"""Surgery: decisions in force, edits by filter, histories."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0004_read")]

    operations = [RunSQLFile("memory", "0005_surgery")]
