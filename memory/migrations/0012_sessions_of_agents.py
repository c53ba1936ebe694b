"""Sessions belong to their agents: two agents may use one name. A session that exists stays its creator's, and what was
shared becomes an offer."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0010_schema_fingerprint'),
        ('memory', '0011_dumped_constraints'),
    ]

    operations = [
        RunSQLFile("memory", "0012_sessions_of_agents"),
        migrations.RemoveConstraint(
            model_name='runningsession',
            name='running_session_named_once',
        ),
        migrations.RemoveConstraint(
            model_name='runningsession',
            name='running_session_status_known',
        ),
        migrations.AddField(
            model_name='sessionshare',
            name='taken_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.AlterField(
            model_name='runningsession',
            name='status',
            field=models.TextField(choices=[('running', 'Running'), ('resumed', 'Resumed'), ('deleted', 'Deleted')], default='running'),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.UniqueConstraint(fields=('tenant', 'owner_id', 'session_id'), name='running_session_of_agent'),
        ),
        migrations.AddConstraint(
            model_name='runningsession',
            constraint=models.CheckConstraint(condition=models.Q(('status__in', ['running', 'resumed', 'deleted'])), name='running_session_status_known'),
        ),
    ]
