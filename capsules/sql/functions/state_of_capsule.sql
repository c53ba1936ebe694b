-- executable by: suture_app, suture_review
-- One hash of every column of a capsule that an edit changes: the state that a reviewer saw. With p_lock, also locks it
-- and everything forwarded from it until the end of the transaction.
CREATE OR REPLACE FUNCTION state_of_capsule(p_tenant uuid, p_capsule uuid, p_lock boolean) RETURNS text LANGUAGE plpgsql
SECURITY DEFINER AS $$
DECLARE x capsules_effectivecapsule;
BEGIN
    PERFORM require_tenant(p_tenant);
    IF p_lock THEN PERFORM lock_capsules(p_tenant, p_capsule); END IF;
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    RETURN encode(sha256(convert_to(concat_ws('|', x.id, coalesce(x.note_id::text, '-'), coalesce(x.risks_id::text, '-'),
        x.importance, x.is_retracted, x.is_quarantined, x.blocked_channels, x.edits_applied), 'UTF8')), 'hex');
END $$;
