-- Refuse an agent's amend to a text that an approved retract removed about the same subject: if it were recorded, the
-- text would be quarantined, so an amend must not bring it back. People may do it.
CREATE OR REPLACE FUNCTION refuse_removed_value(p_tenant uuid, p_edit uuid, p_subject_type text, p_subject_id text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE retract uuid;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM memory_removedvalue v WHERE v.tenant_id = p_tenant) THEN RETURN; END IF;
    SELECT v.edit_id INTO retract
    FROM governance_edit e
    JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = e.content_id
    JOIN memory_removedvalue v ON v.tenant_id = p_tenant AND v.digest = normal_digest(c.body)
        AND v.subject_type IS NOT DISTINCT FROM p_subject_type AND v.subject_id IS NOT DISTINCT FROM p_subject_id
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND e.op = 'amend' AND e.proposer_kind = 'agent'
    ORDER BY v.edit_id LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'Edit % retracted this text about the same subject. Propose to revert that edit instead.', retract
            USING ERRCODE = 'SU409', CONSTRAINT = 'edit_brings_no_removed_value';
    END IF;
END $$;

ALTER FUNCTION refuse_removed_value OWNER TO suture_gate;
