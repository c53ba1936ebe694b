"""Entries are signed; what they say is read out of the signed bytes."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0006_ledger")]

    operations = [
        migrations.AddField("chain", "public_key", models.BinaryField(max_length=32, null=True)),
        # Entries from before carry no signature, and verification says so.
        migrations.AddField(
            "entry", "signature", models.BinaryField(max_length=64, default=b""), preserve_default=False
        ),
        RunSQLFile("governance", "0007_signed_entries"),
    ]
