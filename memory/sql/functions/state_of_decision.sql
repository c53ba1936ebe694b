-- executable by: suture_app, suture_review
-- The same as state_of_chunk for a decision.
CREATE OR REPLACE FUNCTION state_of_decision(p_tenant uuid, p_decision uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE x memory_effectivedecision;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN
        PERFORM lock_memory(p_tenant, d.event_id, NULL) FROM memory_decision d
        WHERE d.tenant_id = p_tenant AND d.id = p_decision;
    END IF;
    SELECT * INTO x FROM memory_effectivedecision y WHERE y.tenant_id = p_tenant AND y.id = p_decision;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, x.content_id, coalesce(x.details_id::text, '-'),
        x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels, x.status, x.edits_applied, x.audience), 'UTF8')), 'hex');
END $$;
