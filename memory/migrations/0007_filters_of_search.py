from django.db import migrations, models

_ADD = """
ALTER TYPE search_filter
    ADD ATTRIBUTE tag text, ADD ATTRIBUTE recorder text, ADD ATTRIBUTE recorded_by uuid, ADD ATTRIBUTE actor text,
    ADD ATTRIBUTE kind text, ADD ATTRIBUTE since timestamptz, ADD ATTRIBUTE until timestamptz,
    ADD ATTRIBUTE subject_ids text[]
"""
_DROP = """
ALTER TYPE search_filter
    DROP ATTRIBUTE tag, DROP ATTRIBUTE recorder, DROP ATTRIBUTE recorded_by, DROP ATTRIBUTE actor,
    DROP ATTRIBUTE kind, DROP ATTRIBUTE since, DROP ATTRIBUTE until, DROP ATTRIBUTE subject_ids
"""


class Migration(migrations.Migration):
    """Searches filter by tag, recorder, actor, kind, time and several subjects."""

    dependencies = [("memory", "0006_shown_chunks")]

    operations = [
        migrations.RunSQL(_ADD, _DROP),
        migrations.AddIndex(
            model_name="effectivechunk",
            index=models.Index(
                condition=models.Q(("is_retracted", False)),
                fields=["tenant", "recorder", "-ts"],
                name="effective_chunk_recorder",
            ),
        ),
        migrations.AddIndex(
            model_name="event", index=models.Index(fields=["tenant", "actor_id"], name="event_actor")
        ),
        migrations.AddIndex(
            model_name="event", index=models.Index(fields=["tenant", "kind"], name="event_kind")
        ),
    ]
