-- The leaves (governance/sql/functions/append_leaves.sql) of context bundles: sealed by the hash of their items, which are
-- many.
CREATE OR REPLACE FUNCTION leaves_of_context_bundle(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT b.id, jsonb_build_array('context_bundle/1', b.tenant_id, b.id, microseconds(b.built_at), b.actor_kind,
        b.actor_id, b.actor, b.request, encode(b.query_hash, 'hex'),
        encode(sha256(convert_to(b.items::text, 'UTF8')), 'hex'),
        encode(sha256(convert_to(b.omissions::text, 'UTF8')), 'hex'), b.total_tokens, b.edits_applied)
    FROM memory_contextbundle b
    WHERE b.tenant_id = p_tenant AND b.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_context_bundle OWNER TO suture_gate;
