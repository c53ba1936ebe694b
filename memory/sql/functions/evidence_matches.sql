-- The best p_limit matches for the evidence of a bundle (get_evidence), ranked like a search (ranked_chunks) in each list
-- that it looks in; the ranks of all lists are relative to the best of the first that has any. Best first, with their
-- place from 1 on.
CREATE OR REPLACE FUNCTION evidence_matches(
    p_tenant uuid, p_session_id text, p_query text, p_subject_type text, p_subject_id text, p_project_id text,
    p_listened search_filter, m search_meaning, p_collapse boolean, p_limit int
) RETURNS TABLE (chunk_id uuid, rank real, place bigint) LANGUAGE plpgsql STABLE ROWS 100 AS $$
DECLARE
    v_tenant uuid := p_tenant;
    q search_question := parse_question(search_language(p_tenant), p_query);
    f search_filter := p_listened;
    list text;
    start search_place;
    ids uuid[] := '{}';
    ranks real[] := '{}';
    found_ids uuid[];
    found_ranks real[];
    found_scale float8;
BEGIN
    FOREACH list IN ARRAY CASE WHEN num_nonnulls(p_subject_id, p_project_id) = 0 THEN '{session,policy,global,here}'::text[]
        ELSE '{subject,project}' END
    LOOP
        CONTINUE WHEN list = 'subject' AND p_subject_id IS NULL OR list = 'project' AND p_project_id IS NULL;
        f.scope := CASE WHEN list IN ('session', 'policy', 'global') THEN list END;
        f.session_id := CASE WHEN list = 'here' THEN p_session_id END;
        f.subject_type := CASE WHEN list = 'subject' THEN p_subject_type END;
        f.subject_id := CASE WHEN list = 'subject' THEN p_subject_id END;
        f.project_id := CASE WHEN list = 'project' THEN p_project_id END;
        SELECT array_agg(r.chunk_id), array_agg(r.rank), max(r.scale) INTO found_ids, found_ranks, found_scale
        FROM ranked_chunks(v_tenant, q, f, m, p_collapse, p_limit, start) r
        CROSS JOIN LATERAL (
            SELECT y.subject_type, y.subject_id, y.project_id FROM memory_effectivechunk y
            WHERE y.tenant_id = v_tenant AND y.id = r.chunk_id LIMIT 1) x
        WHERE CASE list WHEN 'subject' THEN true WHEN 'here' THEN true
            WHEN 'project' THEN p_subject_id IS NULL OR x.subject_id IS NULL
                OR (x.subject_type, x.subject_id) = (p_subject_type, p_subject_id)
            ELSE num_nonnulls(x.subject_id, x.project_id) = 0 END;
        ids := ids || found_ids;
        ranks := ranks || found_ranks;
        start.scale := coalesce(start.scale, found_scale);
    END LOOP;
    RETURN QUERY
    SELECT b.id, b.rank, row_number() OVER (ORDER BY b.rank DESC, b.id DESC)
    FROM (SELECT u.id, max(u.rank) AS rank FROM unnest(ids, ranks) u (id, rank) GROUP BY u.id) b
    ORDER BY 3 LIMIT p_limit;
END $$;
