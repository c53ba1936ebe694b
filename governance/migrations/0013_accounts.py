"""The web role's rights on the tables of failed logins and second factors, once those exist."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0012_audit"),
        ("axes", "__latest__"),
        ("otp_static", "__latest__"),
        ("otp_totp", "__latest__"),
    ]

    operations = [RunSQLFile("governance", "0013_accounts")]
