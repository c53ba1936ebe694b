-- executable by: suture_app
-- Match the chunks of a part of a file's version with known ones: p_chunks is a JSON array of objects with chunk_index
-- and body. `kept` is the chunk of the current version with the same text, whose identity and edits it shares; if
-- several have the same text, the first is matched with the first. `is_placed`: a part that was sent before has already
-- placed it. Only the agent that began a version continues it. Locks the file until the end of the transaction.
CREATE OR REPLACE FUNCTION match_file_part(
    p_tenant uuid, p_session text, p_path text, p_version uuid, p_chunks json
) RETURNS TABLE (chunk_index int, kept uuid, is_placed boolean) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE me acting_context := acting_writer(p_tenant);
BEGIN
    PERFORM lock_file(p_tenant, me.id, p_session, p_path);
    IF EXISTS (SELECT FROM memory_fileplacement y CROSS JOIN LATERAL chunk_of(p_tenant, y.chunk_id) k
               WHERE y.tenant_id = p_tenant AND y.version_id = p_version AND k.recorded_by <> me.id) THEN
        RAISE EXCEPTION 'another agent began this version of the file; use a new version_id for yours'
            USING ERRCODE = 'SU409', CONSTRAINT = 'file_version_of_another';
    END IF;
    RETURN QUERY
    WITH given AS MATERIALIZED (
        SELECT x.chunk_index, sha256(convert_to(x.body, 'UTF8')) AS digest FROM json_to_recordset(p_chunks)
            AS x (chunk_index int, body text)
    ), placed AS MATERIALIZED (
        SELECT g.chunk_index, g.digest, p.id IS NOT NULL AS is_placed FROM given g
        LEFT JOIN LATERAL (
            SELECT y.id FROM memory_fileplacement y WHERE y.tenant_id = p_tenant AND y.version_id = p_version
              AND y.chunk_index = g.chunk_index LIMIT 1) p ON true
    ), numbered AS (
        SELECT z.chunk_index, z.digest, row_number() OVER (PARTITION BY z.digest ORDER BY z.chunk_index) AS nth
        FROM placed z WHERE NOT z.is_placed
    ), known AS (
        SELECT p.chunk_id, b.digest, row_number() OVER (PARTITION BY b.digest ORDER BY p.chunk_index) AS nth
        FROM latest_of_file(p_tenant, me.id, p_session, p_path) v
        CROSS JOIN LATERAL (
            SELECT y.chunk_id, y.chunk_index FROM memory_fileplacement y
            WHERE y.tenant_id = p_tenant AND y.version_id = v.placed_by OFFSET 0) p
        CROSS JOIN LATERAL chunk_of(p_tenant, p.chunk_id) k
        CROSS JOIN LATERAL content_of(p_tenant, k.content_id) c
        CROSS JOIN LATERAL (SELECT sha256(convert_to(c.body, 'UTF8')) AS digest OFFSET 0) b
        WHERE b.digest IN (SELECT n.digest FROM numbered n)
          AND NOT EXISTS (SELECT FROM memory_captureremoval r WHERE r.tenant_id = p_tenant AND r.chunk_id = p.chunk_id)
          AND NOT EXISTS (SELECT FROM memory_fileplacement y
                          WHERE y.tenant_id = p_tenant AND y.chunk_id = p.chunk_id AND y.version_id = p_version)
    )
    SELECT z.chunk_index, k.chunk_id, z.is_placed FROM placed z
    LEFT JOIN numbered n ON n.chunk_index = z.chunk_index
    LEFT JOIN known k ON k.digest = n.digest AND k.nth = n.nth;
END $$;
