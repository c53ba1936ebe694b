"""Recording: the record's functions, the search vector and its index, the roles' rights."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [RunSQLFile("memory", "0002_record")]
