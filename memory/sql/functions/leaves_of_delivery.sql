-- The leaves (governance/sql/functions/append_leaves.sql) of deliveries.
CREATE OR REPLACE FUNCTION leaves_of_delivery(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT d.id, jsonb_build_array('delivery/1', d.tenant_id, d.id, d.chunk_id, d.version, d.receiver_kind,
        d.receiver_id, d.receiver, d.means, d.session_id, microseconds(d.at))
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM memory_delivery o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) d;
END $$;

ALTER FUNCTION leaves_of_delivery OWNER TO suture_gate;
