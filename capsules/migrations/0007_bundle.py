"""What a context bundle is given of capsules, and what it was given, looked at again."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("capsules", "0006_drift")]

    operations = [RunSQLFile("capsules", "0007_bundle")]
