"""Reading capsules."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0003_fold"), ("memory", "0011_context")]

    operations = [RunSQLFile("capsules", "0004_read")]
