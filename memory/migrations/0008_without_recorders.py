"""Searches that leave out recorders who crowd out everybody else."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0007_stragglers'),
    ]

    operations = [
        RunSQLFile("memory", "0008_without_recorders"),
    ]
