"""The fingerprints of the secrets that all nodes of a database share."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0004_promotion'),
    ]

    operations = [
        migrations.CreateModel(
            name='SharedSecret',
            fields=[
                ('name', models.TextField(primary_key=True, serialize=False)),
                ('fingerprint', models.TextField()),
                ('origin', models.TextField()),
                ('noted_at', models.DateTimeField()),
            ],
            options={'db_table': 'governance_sharedsecret'},
        ),
        RunSQLFile("governance", "0005_shared_secrets"),
    ]
