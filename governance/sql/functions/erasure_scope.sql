-- executable by: suture_app
-- The current scope of an erasure: every record with each of its content rows, and the edits of these records with
-- text; by agent also the texts that it proposed for others' records. An app may list edits itself: by value, those
-- whose text says it. sha256 is NULL if the text is already erased. An
-- edit has the retention of its target.
CREATE OR REPLACE FUNCTION erasure_scope(p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text)
RETURNS TABLE (
    kind text, record_id uuid, content_id uuid, sha256 bytea, retention text, target_type text, target_id uuid
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE recorded text;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT string_agg(format('SELECT * FROM %I($1, $2, $3, $4, $5)', f), ' UNION ALL ') INTO recorded
    FROM functions_beginning('erasable_of_') f;
    IF recorded IS NULL THEN RETURN; END IF;
    RETURN QUERY EXECUTE format(
        'WITH recorded AS MATERIALIZED (%s), edited AS (
            SELECT e.id, e.content_id, e.target_type, e.target_id FROM (SELECT DISTINCT r.record_id FROM recorded r) r
            JOIN governance_edit e ON e.tenant_id = $1 AND e.target_id = r.record_id AND e.content_id IS NOT NULL
            WHERE $2 <> ''value''
            UNION
            SELECT e.id, r.content_id, e.target_type, e.target_id FROM recorded r
            JOIN governance_edit e ON e.tenant_id = $1 AND e.id = r.record_id WHERE r.kind = ''edit''
            UNION
            SELECT e.id, e.content_id, e.target_type, e.target_id FROM governance_edit e
            WHERE $2 = ''agent'' AND e.tenant_id = $1 AND e.proposer_kind = ''agent'' AND e.proposed_by = $3
              AND e.content_id IS NOT NULL
        )
        SELECT r.kind, r.record_id, r.content_id, c.sha256::bytea, r.retention, NULL, NULL::uuid FROM recorded r
        LEFT JOIN governance_content c ON c.tenant_id = $1 AND c.id = r.content_id
        WHERE r.content_id IS NOT NULL AND r.kind <> ''edit''
        UNION ALL
        SELECT ''edit'', e.id, e.content_id, c.sha256, retention_of_target($1, e.target_type, e.target_id),
            e.target_type, e.target_id
        FROM edited e LEFT JOIN governance_content c ON c.tenant_id = $1 AND c.id = e.content_id
        ORDER BY 1, 2, 3', recorded)
        USING p_tenant, p_by, p_target, p_subject_type, p_subject_id;
END $$;
