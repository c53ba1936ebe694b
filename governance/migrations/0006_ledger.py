"""The ledger's gate: the only way to append an entry."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0005_memberships")]

    operations = [RunSQLFile("governance", "0006_ledger")]
