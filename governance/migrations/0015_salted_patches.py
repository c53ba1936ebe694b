"""The hash of a patch binds a text by its salted hash: proposals bring the salt."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0014_one_time_passwords")]

    operations = [RunSQLFile("governance", "0015_salted_patches")]
