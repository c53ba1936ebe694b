-- The checks of an edit of a capsule before it applies (record_edit calls this).
CREATE OR REPLACE FUNCTION check_edit_of_capsule(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM refuse_removed_text(p_tenant, said.body, x.subject_type, x.subject_id)
    FROM (
        SELECT y.target_id, y.content_id FROM governance_edit y
        WHERE y.tenant_id = p_tenant AND y.id = p_edit AND y.op = 'amend' AND y.proposer_kind = 'agent' LIMIT 1
    ) e
    CROSS JOIN LATERAL (
        SELECT y.subject_type, y.subject_id FROM capsules_capsule y
        WHERE y.tenant_id = p_tenant AND y.id = e.target_id LIMIT 1
    ) x
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    CROSS JOIN LATERAL (
        SELECT capsule_amend(c.body) ->> 'text' AS body
        UNION ALL
        SELECT r FROM json_array_elements_text(capsule_amend(c.body) -> 'risks') r
    ) said
    WHERE said.body IS NOT NULL;
END $$;
