-- executable by: suture_app
-- The capsules that hold one of these records and have words outside p_contents, which may repeat what the records
-- said.
CREATE OR REPLACE FUNCTION capsules_to_check(p_tenant uuid, p_records uuid[], p_contents uuid[]) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT c.id FROM (
        SELECT DISTINCT i.capsule_id FROM capsules_capsuleitem i
        WHERE i.tenant_id = p_tenant AND i.item_id = ANY (p_records)
    ) held
    JOIN capsules_capsule c ON c.tenant_id = p_tenant AND c.id = held.capsule_id
    WHERE EXISTS (
        SELECT 1 FROM (
            SELECT unnest(ARRAY[c.note_id, c.risks_id]) AS id
            UNION ALL
            SELECT e.content_id FROM governance_edit e
            WHERE e.tenant_id = p_tenant AND e.target_id = ANY (c.id || ARRAY(SELECT capsule_origins(p_tenant, c.id)))
        ) w
        JOIN governance_content k ON k.tenant_id = p_tenant AND k.id = w.id
        WHERE NOT w.id = ANY (p_contents))
    ORDER BY c.id;
END $$;
