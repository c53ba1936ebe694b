-- executable by: suture_app
-- Refuse an impossible revert with the same errors as record_edit, for previews, which record nothing.
CREATE OR REPLACE FUNCTION require_revertible(p_tenant uuid, p_target uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT 1 FROM applied_edits(p_tenant, ARRAY[p_target], NULL) x WHERE x.id = p_edit) THEN
        RAISE EXCEPTION 'only an applied edit of the same target can be reverted' USING ERRCODE = 'SU409';
    END IF;
    IF p_edit = ANY (cancelled_edits(p_tenant, ARRAY[p_target], NULL)) THEN
        RAISE EXCEPTION 'the edit is already reverted' USING ERRCODE = 'SU409';
    END IF;
END $$;
