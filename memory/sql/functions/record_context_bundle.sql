-- executable by: suture_app
-- Record a context bundle, and for each memory that it delivered, itself or as a part of an item, a row that finds the
-- bundle by the memory.
CREATE OR REPLACE FUNCTION record_context_bundle(
    p_tenant uuid, p_id uuid, p_built_at timestamptz, p_request jsonb, p_query_hash bytea, p_items jsonb,
    p_omissions jsonb, p_total_tokens int, p_edits_applied int, p_sensitivity text
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
BEGIN
    INSERT INTO memory_contextbundle (tenant_id, id, built_at, actor_kind, actor_id, actor, request, query_hash, items,
        omissions, total_tokens, edits_applied, sensitivity)
    VALUES (p_tenant, p_id, p_built_at, me.kind, me.id, me.name, p_request, p_query_hash, p_items, p_omissions,
        p_total_tokens, p_edits_applied, p_sensitivity);
    -- Their ids follow the bundle's, and so stay in order of time.
    INSERT INTO memory_contextbundleitem (tenant_id, id, bundle_id, memory_id)
    SELECT p_tenant, encode(overlay(uuid_send(p_id) PLACING int4send(m.place::int) FROM 13), 'hex')::uuid, p_id,
        m.memory_id
    FROM (
        SELECT o.memory_id, row_number() OVER () AS place FROM (
            SELECT DISTINCT (one.value ->> 'id')::uuid AS memory_id FROM jsonb_array_elements(p_items) item
            CROSS JOIN LATERAL (
                SELECT item.value
                UNION ALL SELECT part.value FROM jsonb_array_elements(item.value -> 'parts') part
            ) one
        ) o
    ) m;
END $$;
