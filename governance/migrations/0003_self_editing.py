"""How long a tenant keeps the ephemeral memory that its agents commit."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0002_rights'),
    ]

    operations = [
        migrations.AddField(
            model_name='tenant',
            name='ephemeral_hours',
            field=models.PositiveIntegerField(db_default=24),
        ),
        RunSQLFile("governance", "0003_self_editing"),
    ]
