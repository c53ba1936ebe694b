-- Hold the consolidations of some memories that readers no longer get: each is hidden until a reviewer has checked it,
-- because it may repeat what is hidden (hold_target). A consolidation that is already hidden stays as it is. Holding
-- one also holds the consolidations of it (follow_edit_of_chunk).
CREATE OR REPLACE FUNCTION hold_consolidations(p_tenant uuid, p_chunks uuid[]) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    c record;
    author acting_context;
BEGIN
    FOR c IN
        SELECT x.id, x.sensitivity, x.recorded_by, x.recorder, b.seqs
        FROM (SELECT s.successor_id, string_agg(DISTINCT s.superseded_seq::text, ', ') AS seqs
              FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL (
                  SELECT z.successor_id, z.superseded_seq FROM memory_supersession z
                  WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id AND z.kind = 'consolidation' OFFSET 0) s
              GROUP BY s.successor_id) b
        CROSS JOIN LATERAL (
            SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = b.successor_id
              AND NOT y.is_retracted AND NOT y.is_quarantined LIMIT 1) x
        ORDER BY x.seq
    LOOP
        -- holding one of them may have held another that is based on both
        CONTINUE WHEN EXISTS (
            SELECT FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = c.id AND y.is_quarantined);
        author := (p_tenant, 'agent', c.recorded_by, c.recorder, '{}'::text[], '{}'::text[], NULL::uuid, NULL::uuid, NULL::text);
        PERFORM hold_target(p_tenant, 'chunk', c.id, 'consolidation', author,
            format('Built on memory %s, which is hidden.', c.seqs),
            format('Show the consolidation again. It was built on memory %s, which is hidden: does it repeat that?', c.seqs),
            greatest(1, approvals_for(p_tenant, 'revert', 'agent', c.sensitivity)));
    END LOOP;
END $$;
