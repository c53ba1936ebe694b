-- The checks of an edit of a capsule before it applies (record_edit calls this).
CREATE OR REPLACE FUNCTION check_edit_of_capsule(p_tenant uuid, p_edit uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM refuse_removed_text(p_tenant, said.body, x.subject_type, x.subject_id)
    FROM governance_edit e
    JOIN capsules_capsule x ON x.tenant_id = p_tenant AND x.id = e.target_id
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    CROSS JOIN LATERAL (
        SELECT capsule_amend(c.body) ->> 'text' AS body
        UNION ALL
        SELECT r FROM json_array_elements_text(capsule_amend(c.body) -> 'risks') r
    ) said
    WHERE e.tenant_id = p_tenant AND e.id = p_edit AND e.op = 'amend' AND e.proposer_kind = 'agent'
        AND said.body IS NOT NULL;
END $$;

ALTER FUNCTION check_edit_of_capsule OWNER TO suture_gate;
