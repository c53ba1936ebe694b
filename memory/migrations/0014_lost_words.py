"""A chunk whose words are gone is expected to be what a repair makes of it."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0013_lighter_plans")]

    operations = [RunSQLFile("memory", "0014_lost_words")]
