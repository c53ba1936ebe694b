-- executable by: suture_app
-- Look up a key by its digest and enter its tenant, in one round trip and before any tenant is known. `fingerprint` is
-- the digest of all data about the owner in the answer: a caller that caches the answer lets enter() compare it.
CREATE OR REPLACE FUNCTION authenticate(
    p_digest bytea,
    OUT tenant_id uuid, OUT tenant_slug text, OUT key_id uuid, OUT kind text, OUT id uuid, OUT name text,
    OUT channels text[], OUT roles text[], OUT refusal text, OUT fingerprint bytea, OUT must_speak_for boolean
) LANGUAGE plpgsql SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE k governance_apikey;
BEGIN
    SELECT * INTO k FROM governance_apikey a WHERE a.digest = p_digest;
    IF NOT FOUND THEN refusal := 'unknown'; RETURN; END IF;
    IF k.revoked_at IS NOT NULL THEN refusal := 'revoked'; RETURN; END IF;
    IF k.expires_at <= statement_timestamp() THEN refusal := 'expired'; RETURN; END IF;
    IF k.agent_id IS NOT NULL THEN
        SELECT 'agent', g.id, g.slug, g.channels,
               CASE WHEN g.reads_quarantined THEN '{quarantine_reader}' ELSE '{}' END::text[]
        INTO kind, id, name, channels, roles
        FROM governance_agent g WHERE g.tenant_id = k.tenant_id AND g.id = k.agent_id AND g.is_active;
    ELSE
        SELECT 'human', u.id, u.username, ARRAY['private', 'public', 'team', 'agent'],
               (SELECT array_agg(m.role ORDER BY m.role) FROM governance_membership m
                WHERE m.tenant_id = k.tenant_id AND m.user_id = u.id AND m.is_active)
        INTO kind, id, name, channels, roles
        FROM governance_user u WHERE u.id = k.user_id AND u.is_active;
        IF roles IS NULL THEN kind := NULL; END IF;
    END IF;
    IF kind IS NULL THEN refusal := 'inactive'; RETURN; END IF;
    tenant_id := k.tenant_id;
    key_id := k.id;
    must_speak_for := k.must_speak_for;
    SELECT t.slug INTO tenant_slug FROM governance_tenant t WHERE t.id = k.tenant_id;
    fingerprint := sha256(convert_to(ROW(tenant_id, tenant_slug, kind, id, name, channels, roles, must_speak_for)::text, 'UTF8'));
    PERFORM open_context(tenant_id, kind, id, name, roles, channels, k.issued_by, k.id);
    IF k.last_used_at IS NULL OR k.last_used_at < statement_timestamp() - interval '1 minute' THEN
        -- one transaction writes it; concurrent ones skip it
        UPDATE governance_apikey a SET last_used_at = statement_timestamp()
        WHERE a.tenant_id = k.tenant_id AND a.id = (
            SELECT b.id FROM governance_apikey b WHERE b.tenant_id = k.tenant_id AND b.id = k.id
            FOR UPDATE SKIP LOCKED);
    END IF;
END $$;
