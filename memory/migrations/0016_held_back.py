"""What is held back stays held back: quarantined successors and updates, removed values, hidden memory."""

from django.db import migrations

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):
    dependencies = [("memory", "0015_context_pages")]

    operations = [RunSQLFile("memory", "0016_held_back")]
