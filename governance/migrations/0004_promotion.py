"""The thresholds of promotion of a tenant, which change as its policy does."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0003_self_editing'),
    ]

    operations = [
        migrations.AddField(
            model_name='policychange',
            name='promotion',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='tenant',
            name='promotion_cursor',
            field=models.UUIDField(null=True),
        ),
        migrations.AddField(
            model_name='tenant',
            name='promotion_rules',
            field=models.JSONField(db_default={}),
        ),
        RunSQLFile("governance", "0004_promotion"),
    ]
