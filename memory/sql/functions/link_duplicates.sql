-- executable by: suture_app
-- Link pairs of chunks that say the same, p_rows, a JSON list from a job's comparison: only if both still have that
-- text and no uncommitted edit has locked one of them (the job will find it again). Returns the number of new links.
CREATE OR REPLACE FUNCTION link_duplicates(p_tenant uuid, p_rows json) RETURNS int LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    held uuid[];
    linked int;
BEGIN
    PERFORM require_job(p_tenant);
    held := ARRAY(SELECT x.id FROM memory_effectivechunk x
        WHERE x.tenant_id = p_tenant AND x.id = ANY (ARRAY(
            SELECT unnest(ARRAY[r.chunk_id, r.other_id]) FROM json_to_recordset(p_rows) AS r (chunk_id uuid, other_id uuid)))
        FOR SHARE SKIP LOCKED);
    WITH link AS (
        INSERT INTO memory_duplicate (tenant_id, id, chunk_id, other_id, likeness)
        SELECT DISTINCT ON (1, 3, 4) p_tenant, new_id(), greatest(r.chunk_id, r.other_id), least(r.chunk_id, r.other_id),
            r.likeness
        FROM json_to_recordset(p_rows) AS r (chunk_id uuid, content_id uuid, span_start int, span_end int, other_id uuid,
            other_content_id uuid, other_span_start int, other_span_end int, likeness float8)
        CROSS JOIN LATERAL (
            SELECT x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = r.chunk_id AND NOT x.is_retracted AND x.superseded_by IS NULL
            LIMIT 1) k
        CROSS JOIN LATERAL (
            SELECT x.content_id, x.span_start, x.span_end FROM memory_effectivechunk x
            WHERE x.tenant_id = p_tenant AND x.id = r.other_id AND NOT x.is_retracted AND x.superseded_by IS NULL
            LIMIT 1) o
        WHERE ARRAY[r.chunk_id, r.other_id] <@ held
          AND (r.content_id, r.span_start, r.span_end) IS NOT DISTINCT FROM (k.content_id, k.span_start, k.span_end)
          AND (r.other_content_id, r.other_span_start, r.other_span_end)
              IS NOT DISTINCT FROM (o.content_id, o.span_start, o.span_end)
        ON CONFLICT (tenant_id, chunk_id, other_id) DO NOTHING
        RETURNING 1
    ) SELECT count(*) INTO linked FROM link;
    RETURN linked;
END $$;
