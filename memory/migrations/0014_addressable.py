from django.db import migrations

# The key and the metadata of an event that a client addresses: on its first chunk the key, on each the metadata. They are
# no fields of the model, because the web role may not read them. A path in the index begins with the tenant, so that a
# filter reads no entries of other tenants; jsonb_build_object is only stable, because it takes any type.
_ADD = """
ALTER TABLE memory_effectivechunk ADD COLUMN key text, ADD COLUMN metadata jsonb;
CREATE FUNCTION tenant_metadata(p_tenant uuid, p_metadata jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT jsonb_build_object(p_tenant::text, p_metadata)
$$;
GRANT EXECUTE ON FUNCTION tenant_metadata TO suture_gate;
CREATE INDEX effective_chunk_key ON memory_effectivechunk (tenant_id, key COLLATE "C", subject_type, subject_id)
    WHERE key IS NOT NULL AND NOT is_retracted AND superseded_by IS NULL;
CREATE INDEX effective_chunk_metadata ON memory_effectivechunk
    USING gin (tenant_metadata(tenant_id, metadata) jsonb_path_ops) WHERE metadata IS NOT NULL AND NOT is_retracted;
ALTER TYPE search_filter ADD ATTRIBUTE metadata jsonpath, ADD ATTRIBUTE metadata_equals jsonpath,
    ADD ATTRIBUTE subject_prefix text;
-- A memory as its readers see it (memory_rows): `chunk_id` is its first chunk, and `ts` the time of the current version.
CREATE TYPE memory_row AS (
    chunk_id uuid, event_id uuid, chunk_ids uuid[], edits int[], text text, fields text, metadata text, key text, kind text,
    source text, scope text, subject_type text, subject_id text, project_id text, session_id text, channel text,
    tags text[], importance numeric, recorder text, ts timestamptz, created_at timestamptz, edited_at timestamptz,
    expires_at timestamptz, is_quarantined boolean
);
"""
_REMOVE = """
DROP TYPE memory_row CASCADE;
ALTER TYPE search_filter DROP ATTRIBUTE metadata, DROP ATTRIBUTE metadata_equals, DROP ATTRIBUTE subject_prefix;
DROP INDEX effective_chunk_key, effective_chunk_metadata;
DROP FUNCTION tenant_metadata;
ALTER TABLE memory_effectivechunk DROP COLUMN key, DROP COLUMN metadata;
"""


class Migration(migrations.Migration):
    """Memories have keys, metadata and times to live."""

    dependencies = [("memory", "0013_audiences")]

    operations = [migrations.RunSQL(_ADD, _REMOVE)]
