"""Which people still have a password that somebody else was shown."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("governance", "0013_accounts")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="has_one_time_password",
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
