-- executable by: suture_app, suture_review
-- One hash of every column of a chunk that an edit changes: the state that a reviewer saw. With p_lock, also locks its
-- memory until the end of the transaction.
CREATE OR REPLACE FUNCTION state_of_chunk(p_tenant uuid, p_chunk uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE x memory_effectivechunk;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN
        PERFORM lock_memory(p_tenant, k.event_id, k.id) FROM memory_chunk k
        WHERE k.tenant_id = p_tenant AND k.id = p_chunk;
    END IF;
    SELECT * INTO x FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = p_chunk;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, x.content_id, coalesce(x.span_start, -1),
        coalesce(x.span_end, -1), x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels,
        coalesce(x.superseded_by::text, '-'), x.edits_applied, x.audience), 'UTF8')), 'hex');
END $$;
