from django.db import migrations, models


class Migration(migrations.Migration):
    """The index of duplicates by the other chunk has both chunks, so that it answers alone."""

    dependencies = [
        ("memory", "0011_texts_left_by_erasures"),
    ]

    operations = [
        migrations.RemoveIndex(model_name="duplicate", name="duplicate_of"),
        migrations.AddIndex(
            model_name="duplicate",
            index=models.Index(fields=["tenant", "other_id", "chunk_id"], name="duplicate_of"),
        ),
    ]
