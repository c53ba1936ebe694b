-- The leaves (governance/sql/functions/append_leaves.sql) of capsules' items.
CREATE OR REPLACE FUNCTION leaves_of_capsule_item(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT i.id, jsonb_build_array('capsule_item/1', i.tenant_id, i.id, i.capsule_id, i.position, i.kind, i.item_id)
    FROM unnest(p_ids) w (id)
    CROSS JOIN LATERAL (SELECT * FROM capsules_capsuleitem o WHERE o.tenant_id = p_tenant AND o.id = w.id LIMIT 1) i;
END $$;

ALTER FUNCTION leaves_of_capsule_item OWNER TO suture_gate;
