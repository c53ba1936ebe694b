"""What a bundle is packed from is read page by page, and tasks are found by their session and by what they are about."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0014_lost_words")]

    operations = [RunSQLFile("memory", "0015_context_pages")]
