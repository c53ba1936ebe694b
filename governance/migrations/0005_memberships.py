"""Which tenants a person may enter, for the admin's login."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0004_grants")]

    operations = [RunSQLFile("governance", "0005_memberships")]
