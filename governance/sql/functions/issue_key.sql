-- executable by: suture_app
-- Store a new key of an active agent or of a person. Only the person or the operator can create a person's key. Its
-- requests may speak for the principals in p_speaks_for: `*`, `type:*` or `type:id`.
CREATE OR REPLACE FUNCTION issue_key(
    p_tenant uuid, p_agent uuid, p_user uuid, p_prefix text, p_digest bytea, p_expires_at timestamptz,
    p_speaks_for text[], p_must_speak_for boolean, OUT key_id uuid, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE me acting_context := acting_manager(p_tenant);
BEGIN
    IF p_agent IS NOT NULL AND NOT EXISTS (
        SELECT FROM governance_agent a WHERE a.tenant_id = p_tenant AND a.id = p_agent AND a.is_active)
    THEN
        refusal := 'agent_inactive'; RETURN;
    END IF;
    IF p_user <> me.id AND me.kind <> 'system' THEN refusal := 'key_of_another'; RETURN; END IF;
    IF cardinality(p_speaks_for) > 1000 OR EXISTS (
        SELECT FROM unnest(p_speaks_for) s
        WHERE (s = '*' OR (s LIKE '%:*' AND is_relation(left(s, -2))) OR is_principal(s)) IS NOT TRUE)
    THEN
        refusal := 'malformed_speaks_for'; RETURN;
    END IF;
    IF p_must_speak_for AND p_speaks_for = '{}' THEN refusal := 'must_speak_for_some'; RETURN; END IF;
    key_id := new_id();
    INSERT INTO governance_apikey (tenant_id, id, agent_id, user_id, issued_by, prefix, digest, created_at, expires_at,
        speaks_for, must_speak_for)
    VALUES (p_tenant, key_id, p_agent, p_user, CASE me.kind WHEN 'human' THEN me.id END, p_prefix, p_digest,
        clock_timestamp(), p_expires_at, p_speaks_for, p_must_speak_for);
    PERFORM owe_entry(p_tenant, 'key.issued', key_id::text);
END $$;
