-- The leaves (governance/sql/functions/append_leaves.sql) of capsules' items.
CREATE OR REPLACE FUNCTION leaves_of_capsule_item(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT i.id, jsonb_build_array('capsule_item/1', i.tenant_id, i.id, i.capsule_id, i.position, i.kind, i.item_id)
    FROM capsules_capsuleitem i
    WHERE i.tenant_id = p_tenant AND i.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_capsule_item OWNER TO suture_gate;
