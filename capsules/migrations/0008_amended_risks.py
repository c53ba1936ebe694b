"""Amends of a capsule's risks, lists of one project, and what an erasure finds of a capsule's words."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0007_bundle")]

    operations = [RunSQLFile("capsules", "0008_amended_risks")]
