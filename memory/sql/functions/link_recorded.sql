-- Link the chunks that the actor, an agent, has just recorded with what it had received in their sessions
-- (link_repeats). Returns those that were held. The job that records deliveries links what was recorded before them.
CREATE OR REPLACE FUNCTION link_recorded(p_tenant uuid, p_chunks uuid[]) RETURNS SETOF uuid LANGUAGE plpgsql
SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    me acting_context := acting(p_tenant);
    s record;
BEGIN
    IF me.kind <> 'agent' THEN RETURN; END IF;
    FOR s IN
        SELECT k.session_id, array_agg(k.id) AS chunks
        FROM unnest(p_chunks) i (id) CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k GROUP BY 1 ORDER BY 1
    LOOP
        RETURN QUERY SELECT h FROM link_repeats(p_tenant, me.id, s.session_id, s.chunks) h;
    END LOOP;
END $$;
