"""Search whose cost does not grow with what a query matches."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_surgery")]

    operations = [RunSQLFile("memory", "0006_search_terms")]
