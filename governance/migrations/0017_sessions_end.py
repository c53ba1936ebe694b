"""Sessions that are ended, and one-time passwords that expire."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("governance", "0016_generic_plans")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="sessions_ended",
            field=models.PositiveIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name="user",
            name="one_time_password_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        RunSQLFile("governance", "0017_sessions_end"),
        migrations.RemoveField(model_name="user", name="has_one_time_password"),
    ]
