-- Chunks by id, those that may be seen, in no particular order.
CREATE OR REPLACE FUNCTION get_chunks(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS TABLE (
    chunk_id uuid, text text, importance numeric, ts timestamptz, edits_applied int, is_retracted boolean,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT x.id, span_of(c.body, x.span_start, x.span_end), x.importance, x.ts, x.edits_applied, x.is_retracted,
        x.is_quarantined, x.event_id, x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel,
        x.tier, x.source, x.recorder
    FROM memory_effectivechunk x JOIN governance_content c ON c.tenant_id = v_tenant AND c.id = x.content_id
    WHERE x.tenant_id = v_tenant AND x.id = ANY (p_ids)
      AND is_seen(x, p_listening, p_sensitivities, p_include_quarantined);
END $$;

ALTER FUNCTION get_chunks OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION get_chunks TO suture_app;
