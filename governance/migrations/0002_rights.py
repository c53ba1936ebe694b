"""Keys, indexes and rights that models cannot say, once the tables that others bring are there too."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [
        ("governance", "0001_tables"),
        ("admin", "__latest__"),
        ("auth", "__latest__"),
        ("axes", "__latest__"),
        ("contenttypes", "__latest__"),
        ("otp_static", "__latest__"),
        ("otp_totp", "__latest__"),
        ("sessions", "__latest__"),
    ]

    operations = [
        migrations.CreateModel(
            name="Authenticator",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("otp_totp.totpdevice",),
        ),
        migrations.CreateModel(
            name="RecoveryCodes",
            fields=[],
            options={"proxy": True, "indexes": [], "constraints": []},
            bases=("otp_static.staticdevice",),
        ),
        RunSQLFile("governance", "0002_rights"),
    ]
