-- Whether readers got something else instead of a chunk at a time: a successor that no edit hid then (successor_of), or
-- nothing, because its capture was deleted or no file contained it; or whether it is a copy.
CREATE OR REPLACE FUNCTION is_replaced_at(p_tenant uuid, k memory_chunk, p_at timestamptz) RETURNS boolean LANGUAGE plpgsql
STABLE SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE above uuid[] := ARRAY[k.id];
BEGIN
    IF EXISTS (SELECT FROM memory_relation r WHERE r.tenant_id = p_tenant AND r.later_id = k.id AND r.kind = 'copy')
       OR EXISTS (SELECT FROM memory_captureremoval r
                  WHERE r.tenant_id = p_tenant AND r.chunk_id = k.id AND r.removed_at <= p_at)
       OR k.source = 'file' AND NOT is_placed_at(p_tenant, k.id, p_at)
    THEN RETURN true; END IF;
    LOOP
        above := ARRAY(
            SELECT s.id FROM unnest(above) i (id) CROSS JOIN LATERAL (
                SELECT z.successor_id AS id FROM memory_supersession z
                WHERE z.tenant_id = p_tenant AND z.superseded_id = i.id
                UNION ALL
                SELECT r.later_id FROM memory_relation r
                WHERE r.tenant_id = p_tenant AND r.earlier_id = i.id AND r.kind = 'update') s
            WHERE recorded_at(s.id) <= p_at);
        IF above = '{}' THEN RETURN false; END IF;
        IF EXISTS (
            SELECT FROM unnest(above) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) c
            CROSS JOIN LATERAL fold_at(p_tenant, c, p_at) f WHERE NOT f.is_retracted AND NOT f.is_quarantined)
        THEN RETURN true; END IF;
    END LOOP;
END $$;
