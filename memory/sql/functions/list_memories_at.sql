-- The newest memories that matched the filters at a time (list_memories). No index has what an edit hid since, so it reads
-- the tenant's rows.
CREATE OR REPLACE FUNCTION list_memories_at(
    p_tenant uuid, p_at timestamptz, p_filter search_filter, p_key text, p_key_prefix text, p_before_ts timestamptz,
    p_before_id uuid, p_limit int
) RETURNS SETOF memory_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    f search_filter := p_filter;
    x record;
    m memory_row;
    given int := 0;
BEGIN
    f.metadata := NULL;
    FOR x IN
        SELECT y.id FROM memory_effectivechunk y
        WHERE y.tenant_id = p_tenant AND y.chunk_index = 0 AND recorded_at(y.id) <= p_at AND is_filtered(y, f)
          AND (p_key IS NULL OR y.key = p_key) AND (p_key_prefix IS NULL OR starts_with(y.key, p_key_prefix))
          AND (p_filter.metadata IS NULL OR had_metadata(y, p_filter.metadata))
          AND (p_before_ts IS NULL OR y.ts <= p_before_ts AND (y.ts < p_before_ts OR y.id < p_before_id))
        ORDER BY y.ts DESC, y.id DESC
    LOOP
        FOR m IN SELECT * FROM memory_at(p_tenant, x.id, p_at, f.listening, f.reader, f.include_quarantined) LOOP
            RETURN NEXT m;
            given := given + 1;
        END LOOP;
        EXIT WHEN given >= p_limit;
    END LOOP;
END $$;
