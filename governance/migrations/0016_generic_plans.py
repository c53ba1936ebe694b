"""Lookups by key are planned once."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0015_salted_patches")]

    operations = [RunSQLFile("governance", "0016_generic_plans")]
