"""Words of a search may end in a star."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0016_held_back")]

    operations = [RunSQLFile("memory", "0017_prefixes")]
