-- Link the chunks that the actor, an agent, has just recorded, rows of record_events, with what it had received in their
-- sessions (link_repeats). Returns those that were held. A record that updates another (is_update) is a statement of its
-- own. The job that records deliveries links what was recorded before them.
CREATE OR REPLACE FUNCTION link_recorded(p_tenant uuid, p_chunks json) RETURNS SETOF uuid LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s record;
BEGIN
    IF me.kind <> 'agent' OR p_chunks IS NULL THEN RETURN; END IF;
    FOR s IN
        SELECT k.session_id, array_agg(k.id) AS chunks
        FROM json_to_recordset(p_chunks) AS x (id uuid, is_update boolean) CROSS JOIN LATERAL chunk_of(p_tenant, x.id) k
        WHERE x.is_update IS NOT TRUE GROUP BY 1 ORDER BY 1
    LOOP
        RETURN QUERY SELECT h FROM link_repeats(p_tenant, me.id, s.session_id, s.chunks) h;
    END LOOP;
END $$;
