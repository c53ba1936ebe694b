"""The gate of governance: functions, guards that cannot be switched off, and the roles' rights."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0002_initial")]

    operations = [RunSQLFile("governance", "0003_gate")]
