-- The rows that a reader gets for distinct chunk ids, in no particular order. Each id is looked up separately: for many
-- at once, the planner walks all of the tenant in another index that has the id after the tenant. Every way of finding
-- chunks ends here. PostgreSQL inlines it into its callers, all functions of the gate, hence no SECURITY DEFINER.
CREATE OR REPLACE FUNCTION chunk_rows(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_reader reader, p_include_quarantined boolean
) RETURNS SETOF chunk_row LANGUAGE sql STABLE AS $$
    SELECT x.id, x.text, x.importance, x.ts, x.edits_applied, x.is_retracted, x.is_quarantined, x.event_id,
        x.session_id, x.scope, x.subject_type, x.subject_id, x.project_id, x.channel, x.tier, x.source, x.recorder,
        x.tags
    FROM unnest(p_ids) AS i (id)
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id
          AND is_seen(y, p_listening, p_reader, p_include_quarantined) LIMIT 1) x
$$;
