-- executable by: suture_app
-- The newest chunks of a session.
CREATE OR REPLACE FUNCTION get_session_window(
    p_tenant uuid, p_session_id text, p_listening text[], p_include_quarantined boolean,
    p_offset int, p_limit int, p_beyond int
) RETURNS SETOF context_chunk_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    v_tenant uuid := p_tenant;
    reach int := p_offset + p_limit + p_beyond;
    ids uuid[];
    hidden uuid[];
    met int;
BEGIN
    SELECT array_agg(n.id) FILTER (WHERE n.is_seen), array_agg(n.id) FILTER (WHERE NOT n.is_seen), count(*)
    INTO ids, hidden, met
    FROM (
        SELECT x.id, is_seen(x, p_listening, v_reader, p_include_quarantined) AS is_seen
        FROM memory_effectivechunk x
        WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id AND hears(v_reader, x.audience)
          AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.tier <> 'archive'
        ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    IF met = reach AND hidden IS NOT NULL THEN
        -- hidden chunks used up the page: fetch visible ones only
        SELECT array_agg(n.id) INTO ids FROM (
            SELECT x.id FROM memory_effectivechunk x
            WHERE x.tenant_id = v_tenant AND x.session_id = p_session_id
              AND is_seen(x, p_listening, v_reader, p_include_quarantined) AND x.tier <> 'archive'
            ORDER BY x.ts DESC, x.chunk_index DESC, x.id DESC LIMIT reach) n;
    END IF;
    RETURN QUERY
    SELECT *
    FROM context_chunks(v_tenant, ids[p_offset + 1 : p_offset + p_limit] || hidden[: p_beyond], NULL, p_listening,
        v_reader, p_include_quarantined, coalesce(cardinality(ids), 0)) c;
END $$;
