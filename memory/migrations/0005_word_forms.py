from django.db import migrations

#: The job recomputes all search vectors. Until then, searches use the old ones, which miss the new forms of words.
_REWORD = """
    INSERT INTO memory_pendingcontext (tenant_id, id, is_reworded)
    SELECT x.tenant_id, x.id, true FROM memory_effectivechunk x WHERE NOT x.is_retracted
    ON CONFLICT (tenant_id, id) DO UPDATE SET is_reworded = true
"""


class Migration(migrations.Migration):
    """Search vectors contain the variants of words and the parts of identifiers."""

    dependencies = [
        ("memory", "0004_count_words_by_channel"),
    ]

    operations = [
        migrations.RunSQL(_REWORD, migrations.RunSQL.noop),
    ]
