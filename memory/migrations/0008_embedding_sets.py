import django.db.models.deletion
from django.db import migrations, models

import governance.models.tenancy

# the values are compressed already
_RIGHTS = """
    GRANT SELECT, INSERT, DELETE ON memory_embeddingset TO suture_gate;
    ALTER TABLE memory_embeddingset ALTER COLUMN packed SET STORAGE EXTERNAL;
"""


class Migration(migrations.Migration):
    """Captured chunks keep their values in all thirteen spaces."""

    dependencies = [
        ("governance", "0001_tables"),
        ("memory", "0007_filters_of_search"),
    ]

    operations = [
        migrations.CreateModel(
            name="EmbeddingSet",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=governance.models.tenancy.new_id, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("model", models.TextField()),
                ("content_id", models.UUIDField()),
                ("span_start", models.IntegerField(null=True)),
                ("span_end", models.IntegerField(null=True)),
                ("packed", models.BinaryField()),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="governance.tenant",
                    ),
                ),
            ],
            options={"abstract": False},
        ),
        migrations.RunSQL(_RIGHTS, migrations.RunSQL.noop),
    ]
