-- Refuse an agent's amend that repeats text that an approved retract removed: a new record of it would be quarantined,
-- so an amend must not restore it. People may do it.
CREATE OR REPLACE FUNCTION refuse_removed_value(p_tenant uuid, p_edit uuid, p_subject_type text, p_subject_id text)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM refuse_removed_text(p_tenant, c.body, p_subject_type, p_subject_id)
    FROM governance_edit e CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND e.op = 'amend' AND e.proposer_kind = 'agent';
END $$;
