-- The fold of a recorded chunk as of a time (fold_edits), with the edits of its memory's decisions.
CREATE OR REPLACE FUNCTION fold_at(
    p_tenant uuid, k memory_chunk, p_at timestamptz,
    OUT is_retracted boolean, OUT is_quarantined boolean, OUT blocked_channels text[], OUT content_id uuid,
    OUT importance numeric, OUT edits_applied int, OUT audience int[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    SELECT f.* INTO is_retracted, is_quarantined, blocked_channels, content_id, importance, edits_applied, audience
    FROM fold_edits(p_tenant, k.id, ARRAY(
        SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id), k.importance, p_at) f;
END $$;
