from django.db import migrations

_FORWARD = """
    ALTER TYPE search_place DROP ATTRIBUTE rank, DROP ATTRIBUTE importance, DROP ATTRIBUTE ts, DROP ATTRIBUTE chunk_id,
        ADD ATTRIBUTE shown text[]
"""
_BACK = """
    ALTER TYPE search_place DROP ATTRIBUTE shown, ADD ATTRIBUTE rank real, ADD ATTRIBUTE importance numeric,
        ADD ATTRIBUTE ts timestamptz, ADD ATTRIBUTE chunk_id uuid
"""


class Migration(migrations.Migration):
    """The place of a page of a search names the chunks that earlier pages have shown."""

    dependencies = [
        ("memory", "0005_word_forms"),
    ]

    operations = [
        migrations.RunSQL(_FORWARD, _BACK),
    ]
