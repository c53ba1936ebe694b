-- executable by: suture_app
-- A JSON list of the usersets of each audience of a chunk that the actor hears, for a new version of its memory; empty if it
-- has none.
CREATE OR REPLACE FUNCTION usersets_of_memory(p_tenant uuid, p_chunk uuid) RETURNS text LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN (
        SELECT usersets_of_audiences(p_tenant, x.audience, NULL)::text FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = p_chunk AND hears(reader_with(p_tenant, '{}'), x.audience));
END $$;
