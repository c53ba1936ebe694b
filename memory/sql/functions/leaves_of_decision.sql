-- The leaves (governance/sql/functions/append_leaves.sql) of decisions.
CREATE OR REPLACE FUNCTION leaves_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE sql STABLE AS $$
    SELECT d.id, jsonb_build_array('decision/1', d.tenant_id, d.id,
        scope_leaf(d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts),
        d.event_id, d.content_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = d.content_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = d.content_id)), 'hex'),
        d.details_id, encode(coalesce(
            (SELECT kept.sha256 FROM governance_content kept WHERE kept.tenant_id = p_tenant AND kept.id = d.details_id),
            (SELECT gone.sha256 FROM governance_erasedcontent gone
                WHERE gone.tenant_id = p_tenant AND gone.id = d.details_id)), 'hex'),
        d.supersedes_id)
    FROM memory_decision d
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids)
$$;

ALTER FUNCTION leaves_of_decision OWNER TO suture_gate;
