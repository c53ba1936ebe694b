-- Refuse an agent's text that repeats what an approved retract removed, for texts that cannot be quarantined. People
-- may restore it.
CREATE OR REPLACE FUNCTION refuse_removed_text(p_tenant uuid, p_text text, p_subject_type text, p_subject_id text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE retract uuid := removed_by(p_tenant, p_text, p_subject_type, p_subject_id);
BEGIN
    IF retract IS NOT NULL THEN
        RAISE EXCEPTION 'Edit % retracted this text. Propose to revert that edit instead.', retract
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_brings_no_removed_value';
    END IF;
END $$;
