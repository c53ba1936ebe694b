-- executable by: suture_app
-- Superseded memories of an agent, and what its records have updated, that contain a word of a query, best first, for a recall that includes them: search
-- omits them. `score` is relative to the best.
CREATE OR REPLACE FUNCTION find_superseded(p_tenant uuid, p_agent uuid, p_query text, p_listening text[], p_limit int)
RETURNS TABLE (chunk_id uuid, score real) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    v_reader reader := reader_of(p_tenant, p_listening);
    q search_question := parse_question(search_language(p_tenant), p_query);
BEGIN
    PERFORM require_own_chain(p_tenant, p_agent);
    IF numnode(q.matching) = 0 THEN RETURN; END IF;
    RETURN QUERY
    WITH found AS MATERIALIZED (
        SELECT x.id, ts_rank_cd(x.tsv, q.matching, 4) AS rank
        FROM (SELECT z.superseded_id AS id FROM memory_supersession z WHERE z.tenant_id = v_tenant AND z.agent_id = p_agent
              UNION ALL
              SELECT r.earlier_id FROM memory_relation r
              WHERE r.tenant_id = v_tenant AND r.recorded_by = p_agent AND r.kind = 'update') s
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = v_tenant AND y.id = s.id
              AND y.is_superseded AND is_seen_in_chain(y, p_listening, v_reader, false, true) LIMIT 1) x
        WHERE x.tsv @@ q.matching
        GROUP BY x.id, x.tsv
    )
    SELECT f.id, (f.rank / nullif(max(f.rank) OVER (), 0))::real FROM found f ORDER BY f.rank DESC, f.id DESC LIMIT p_limit;
END $$;
