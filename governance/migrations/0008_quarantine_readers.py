"""Which agents may read quarantined memory."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0007_stragglers'),
    ]

    operations = [
        migrations.AddField(
            model_name='agent',
            name='reads_quarantined',
            field=models.BooleanField(default=False),
        ),
        RunSQLFile("governance", "0008_quarantine_readers"),
    ]
