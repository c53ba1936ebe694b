"""Searches that leave out recorders who crowd out everybody else."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0006_effective_text'),
    ]

    operations = [
        RunSQLFile("memory", "0007_without_recorders"),
    ]
