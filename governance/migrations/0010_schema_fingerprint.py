"""What the database's own guards have to be, signed."""

from django.db import migrations, models

from governance.database.sql_migrations import RunSQLFile


class Migration(migrations.Migration):

    dependencies = [
        ('governance', '0009_receipts'),
    ]

    operations = [
        migrations.CreateModel(
            name='SchemaFingerprint',
            fields=[
                ('digest', models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ('document', models.BinaryField()),
                ('signature', models.BinaryField(max_length=64)),
                ('made_at', models.DateTimeField()),
            ],
            options={'db_table': 'governance_schemafingerprint', 'ordering': ['-made_at']},
        ),
        RunSQLFile("governance", "0010_schema_fingerprint"),
    ]
