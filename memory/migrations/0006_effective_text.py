"""The effective text of each chunk in the projection, and fewer indexes."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('memory', '0005_checkpoints'),
    ]

    operations = [
        migrations.RemoveIndex(
            model_name='chunk',
            name='chunk_session',
        ),
        migrations.RemoveIndex(
            model_name='effectivechunk',
            name='effective_chunk_session',
        ),
        migrations.RemoveIndex(
            model_name='effectivechunk',
            name='effective_chunk_event',
        ),
        RunSQLFile("memory", "0006_effective_text"),
        migrations.AddIndex(
            model_name='effectivechunk',
            index=models.Index(fields=['session_id', 'tenant', 'ts', 'id'], name='effective_chunk_session'),
        ),
    ]
