"""The web role's rights on Django's own tables, once those exist."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0003_gate"),
        ("admin", "__latest__"),
        ("auth", "__latest__"),
        ("contenttypes", "__latest__"),
        ("sessions", "__latest__"),
    ]

    operations = [RunSQLFile("governance", "0004_grants")]
