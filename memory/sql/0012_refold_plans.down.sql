GRANT CREATE ON SCHEMA public TO suture_gate;
SET ROLE suture_gate;
CREATE OR REPLACE FUNCTION remember_removed(p_tenant uuid, p_event uuid, p_chunk uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM memory_removedvalue v USING memory_chunk k
    WHERE v.tenant_id = p_tenant AND k.tenant_id = p_tenant AND v.chunk_id = k.id
      AND (k.event_id = p_event OR p_event IS NULL AND k.id = p_chunk);
    INSERT INTO memory_removedvalue (tenant_id, id, chunk_id, edit_id, subject_type, subject_id, digest)
    SELECT p_tenant, new_id(), s.id, s.edit_id, s.subject_type, s.subject_id, s.digest FROM (
        SELECT DISTINCT x.id, r.edit_id, x.subject_type, x.subject_id, normal_digest(t.body) AS digest
        FROM memory_effectivechunk x
        JOIN memory_chunk k ON k.tenant_id = p_tenant AND k.id = x.id
        CROSS JOIN LATERAL (
            SELECT span_of(c.body, k.span_start, k.span_end) AS body FROM governance_content c
            WHERE c.tenant_id = p_tenant AND c.id = k.content_id
            UNION ALL
            SELECT span_of(c.body, x.span_start, x.span_end) FROM governance_content c
            WHERE c.tenant_id = p_tenant AND c.id = x.content_id
            UNION ALL
            SELECT c.body FROM memory_decision d JOIN governance_content c
                ON c.tenant_id = p_tenant AND c.id = d.content_id
            WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id
        ) t
        CROSS JOIN LATERAL (
            SELECT e.id AS edit_id FROM governance_edit e JOIN governance_editstate s
                ON s.tenant_id = p_tenant AND s.edit_id = e.id AND s.status = 'approved'
            WHERE e.tenant_id = p_tenant AND e.op = 'retract' AND (e.target_id = x.id OR e.target_id IN (
                SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = x.event_id))
            ORDER BY s.applied_at DESC LIMIT 1
        ) r
        WHERE x.tenant_id = p_tenant AND x.is_retracted
          AND (x.event_id = p_event OR p_event IS NULL AND x.id = p_chunk)
    ) s;
END $$;

ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_mergejoin;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_hashjoin;
ALTER FUNCTION refold_memory(uuid,uuid,uuid) RESET enable_seqscan;
ALTER FUNCTION fold_memory(uuid,uuid,uuid,uuid[]) ROWS 1000;
ALTER FUNCTION fold_memory(uuid,uuid,uuid) ROWS 1000;
RESET ROLE;
REVOKE CREATE ON SCHEMA public FROM suture_gate;
