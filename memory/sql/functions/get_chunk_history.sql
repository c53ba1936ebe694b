-- executable by: suture_app
-- The states of a chunk: as recorded (edit_id NULL), then after each edit that was applied to it or to another record
-- of its memory. For reviewers and auditors, because it shows words that were retracted.
CREATE OR REPLACE FUNCTION get_chunk_history(p_tenant uuid, p_chunk uuid) RETURNS TABLE (
    edit_id uuid, at timestamptz, text text, importance numeric, is_retracted boolean, is_quarantined boolean,
    blocked_channels text[], edits_applied int, usersets jsonb
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    k memory_chunk;
    twins uuid[];
    moment record;
    f record;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT * INTO k FROM memory_chunk c WHERE c.tenant_id = p_tenant AND c.id = p_chunk;
    IF NOT FOUND THEN RETURN; END IF;
    SELECT coalesce(array_agg(d.id), '{}') INTO twins FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id;
    FOR moment IN
        SELECT NULL::uuid AS id, '-infinity'::timestamptz AS applied, k.ts AS shown
        UNION ALL
        SELECT e.id, s.applied_at, s.applied_at FROM governance_edit e CROSS JOIN LATERAL (
            SELECT y.applied_at, y.status FROM governance_editstate y
            WHERE y.tenant_id = p_tenant AND y.edit_id = e.id LIMIT 1) s
        WHERE s.status = 'approved' AND e.tenant_id = p_tenant AND e.target_id = ANY (p_chunk || twins)
        ORDER BY 2, 1
    LOOP
        SELECT * INTO f FROM fold_edits(p_tenant, k.id, twins, k.importance, moment.applied);
        edit_id := moment.id; at := moment.shown; importance := f.importance; is_retracted := f.is_retracted;
        is_quarantined := f.is_quarantined; blocked_channels := f.blocked_channels; edits_applied := f.edits_applied;
        usersets := usersets_of_audiences(p_tenant, coalesce(f.audience, k.audience), NULL);
        SELECT CASE WHEN f.content_id IS NULL THEN span_of(c.body, k.span_start, k.span_end) ELSE c.body END INTO text
        FROM governance_content c WHERE c.tenant_id = p_tenant AND c.id = coalesce(f.content_id, k.content_id);
        text := (reworded(p_tenant, text, place_of_chunk(k))).text;
        RETURN NEXT;
    END LOOP;
END $$;
