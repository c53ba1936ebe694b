import django.contrib.postgres.fields
from django.db import migrations, models


#: A job counts the words again, by channel. Until then, searches count those that they need.
_FORGET = "DELETE FROM memory_term; DELETE FROM memory_termcount"


class Migration(migrations.Migration):
    """Words are counted by channel."""

    dependencies = [
        ("memory", "0003_captures_of_their_own_app"),
    ]

    operations = [
        migrations.RunSQL(_FORGET, migrations.RunSQL.noop),
        migrations.RemoveField(
            model_name="term",
            name="df",
        ),
        migrations.AddField(
            model_name="term",
            name="dfs",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=4),
        ),
        migrations.AddField(
            model_name="termcount",
            name="chunks_of_channels",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), default=list, size=None),
        ),
    ]
