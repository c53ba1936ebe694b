-- The leaves (governance/sql/functions/append_leaves.sql) of deliveries.
CREATE OR REPLACE FUNCTION leaves_of_delivery(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT d.id, jsonb_build_array('delivery/1', d.tenant_id, d.id, d.chunk_id, d.version, d.receiver_kind,
        d.receiver_id, d.receiver, d.means, d.session_id, microseconds(d.at))
    FROM memory_delivery d
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_delivery OWNER TO suture_gate;
