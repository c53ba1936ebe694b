-- The similarity of meaning of some chunks to a question: the cosine with the vector of its text, in the same model. No
-- row for a chunk that has no vector yet.
CREATE OR REPLACE FUNCTION semantic_scores(p_tenant uuid, p_ids uuid[], m search_meaning)
RETURNS TABLE (chunk_id uuid, score real) LANGUAGE plpgsql STABLE ROWS 100 AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF m.vector IS NULL THEN RETURN; END IF;
    RETURN QUERY
    SELECT e.chunk_id, (1 - (e.dense <=> m.vector))::real
    FROM (SELECT DISTINCT u.id FROM unnest(p_ids) u (id)) i
    CROSS JOIN LATERAL (
        SELECT v.chunk_id, v.dense FROM memory_embedding v
        WHERE v.tenant_id = v_tenant AND v.chunk_id = i.id AND v.space = 'E1' AND v.model = m.model LIMIT 1) e
    WHERE e.dense IS NOT NULL;
END $$;
