"""The governed read path: the functions that words come out of."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0003_fold")]

    operations = [RunSQLFile("memory", "0004_read")]
