from django.db import migrations
from pgvector.django import HalfVectorField, SparseVectorField


class Migration(migrations.Migration):
    """The columns exist (sql/0001_tables.up.sql); from here on the model knows them too."""

    dependencies = [("memory", "0001_tables")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.AddField("embedding", "dense", HalfVectorField(null=True)),
                migrations.AddField("embedding", "sparse", SparseVectorField(null=True)),
            ]
        )
    ]
