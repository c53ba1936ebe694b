-- Full-text search over effective text, best first: keyword_candidates with their rows. p_highlight adds an HTML
-- snippet. `following` counts the matches from the first row on, p_after_... is the last row of the page before.
CREATE OR REPLACE FUNCTION search_chunks(
    p_tenant uuid, p_query text, p_listening text[], p_channels text[],
    p_include_quarantined boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int, p_highlight boolean, p_after_score real, p_after_importance numeric,
    p_after_ts timestamptz, p_after_id uuid
) RETURNS TABLE (
    chunk_id uuid, text text, snippet text, importance numeric, ts timestamptz, rank real, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, total_count bigint, ranking text,
    following bigint, tags text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_sensitivities text[] := sensitivities_heard(p_tenant, p_listening);
    v_tenant uuid := p_tenant;
    q tsquery := CASE WHEN p_highlight THEN search_query(p_query) END;
BEGIN
    RETURN QUERY
    SELECT r.chunk_id, r.text, highlighted(r.text, q, p_highlight), r.importance, r.ts, k.score, r.edits_applied,
        r.is_quarantined, r.event_id, r.session_id, r.scope, r.subject_type, r.subject_id, r.project_id, r.channel,
        r.tier, r.source, r.recorder, k.match_count, k.ranking, k.following, r.tags
    FROM keyword_candidates(v_tenant, p_query, p_listening, v_sensitivities, p_channels, p_include_quarantined,
        p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_limit, p_after_score, p_after_importance,
        p_after_ts, p_after_id)
        WITH ORDINALITY AS k (id, score, match_count, ranking, following, place)
    CROSS JOIN LATERAL (
        SELECT * FROM chunk_rows(v_tenant, ARRAY[k.id], p_listening, v_sensitivities, p_include_quarantined) LIMIT 1) r
    ORDER BY k.place;
END $$;

ALTER FUNCTION search_chunks OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION search_chunks TO suture_app;
