from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models

# The view effective_chunks depends on this function, so a migration changes it.
_WORDS = """
GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;
CREATE OR REPLACE FUNCTION effective_words(p_tenant uuid, p_chunk uuid) RETURNS TABLE (text text) LANGUAGE plpgsql STABLE
SECURITY DEFINER ROWS 1 SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE me acting_context := acting(p_tenant);
BEGIN
    RETURN QUERY
    SELECT span_of(c.body, x.span_start, x.span_end) FROM memory_effectivechunk x
    CROSS JOIN LATERAL content_of(p_tenant, x.content_id) c
    WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND x.channel = ANY (me.channels)
      AND is_seen(x, me.channels, {reader}(p_tenant, me.channels), true);
END $$;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
"""
_ADD = """
ALTER TYPE search_filter ALTER ATTRIBUTE sensitivities TYPE reader;
ALTER TYPE search_filter RENAME ATTRIBUTE sensitivities TO reader;
"""
# A bundle of any sensitivity may have given memory with an audience.
_INDEX = """
DROP INDEX context_bundle_given;
CREATE INDEX context_bundle_given ON memory_contextbundle (tenant_id, actor_id, (request ->> 'session_id'), sensitivity);
GRANT SELECT (audience) ON memory_effectivechunk TO suture_app, suture_review;
CREATE INDEX effective_chunk_audience ON memory_effectivechunk (tenant_id)
    WHERE audience IS NOT NULL AND NOT is_retracted AND superseded_by IS NULL;
GRANT SELECT ON memory_contextbundleitem TO suture_gate;
GRANT SELECT ON governance_audience TO suture_review;
"""
_FORMER_INDEX = """
DROP INDEX effective_chunk_audience;
DROP INDEX context_bundle_given;
CREATE INDEX context_bundle_given ON memory_contextbundle (tenant_id, actor_id, (request ->> 'session_id'), sensitivity)
    WHERE sensitivity IN ('low', 'high');
"""
_REMOVE = """
ALTER TYPE search_filter RENAME ATTRIBUTE reader TO sensitivities;
ALTER TYPE search_filter ALTER ATTRIBUTE sensitivities TYPE text[];
"""
_RECORDS = ("event", "chunk", "effectivechunk", "decision", "effectivedecision", "task", "effectivetask", "artifact")


class Migration(migrations.Migration):
    """Records have an audience, which the one rule of visibility compares."""

    dependencies = [("governance", "0005_audiences"), ("memory", "0012_duplicates_by_other")]

    operations = [
        *(
            migrations.AddField(name, "audience", ArrayField(base_field=models.IntegerField(), null=True, size=None))
            for name in _RECORDS
        ),
        migrations.AddField("delivery", "on_behalf_of", models.TextField(null=True)),
        migrations.RunSQL(_ADD, _REMOVE),
        migrations.RunSQL(_INDEX, _FORMER_INDEX),
        migrations.RunSQL(_WORDS.replace("{reader}", "reader_of"), _WORDS.replace("{reader}", "sensitivities_heard")),
    ]
