-- The audience of a chunk without that of its sources, with p_also applied last: as recorded, or that of the last edit of it.
CREATE OR REPLACE FUNCTION own_audience_of_chunk(p_tenant uuid, p_chunk uuid, p_also applied_edit) RETURNS int[]
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN (
        SELECT coalesce(f.audience, k.audience) FROM chunk_of(p_tenant, p_chunk) k
        CROSS JOIN LATERAL fold_edits(p_tenant, k.id, ARRAY(
            SELECT d.id FROM memory_decision d WHERE d.tenant_id = p_tenant AND d.event_id = k.event_id),
            k.importance, NULL, p_also) f);
END $$;
