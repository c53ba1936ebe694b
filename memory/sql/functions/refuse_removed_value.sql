-- Refuse an agent's amend to a text that says what an approved retract removed: if it were recorded, it would be
-- quarantined, so an amend must not bring it back. People may do it.
CREATE OR REPLACE FUNCTION refuse_removed_value(p_tenant uuid, p_edit uuid, p_subject_type text, p_subject_id text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM refuse_removed_text(p_tenant, c.body, p_subject_type, p_subject_id)
    FROM governance_edit e CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND e.op = 'amend' AND e.proposer_kind = 'agent';
END $$;
