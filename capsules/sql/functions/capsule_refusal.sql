-- Why a reader may not read a capsule: `unknown` (it does not exist or is retracted), `outside` its audience, `revoked`
-- or `expired`; NULL if they may. The author of an original and people with a role can read it in every status. The
-- forwarder of a capsule can read the copy as long as they may read the forwarded one: forwarding extends no access.
CREATE OR REPLACE FUNCTION capsule_refusal(p_tenant uuid, p_capsule uuid, p_reader_kind text, p_reader uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE x capsules_effectivecapsule;
BEGIN
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN RETURN 'unknown'; END IF;
    IF x.author_kind = p_reader_kind AND x.authored_by = p_reader THEN
        RETURN CASE WHEN x.forwards_id IS NOT NULL
            THEN capsule_refusal(p_tenant, x.forwards_id, p_reader_kind, p_reader) END;
    END IF;
    IF p_reader_kind <> 'agent' THEN
        RETURN CASE WHEN NOT EXISTS (
            SELECT 1 FROM governance_membership m
            WHERE m.tenant_id = p_tenant AND m.user_id = p_reader AND m.is_active) THEN 'outside' END;
    END IF;
    IF NOT EXISTS (
        SELECT 1 FROM capsules_capsuleaudience a
        WHERE a.tenant_id = p_tenant AND a.agent_id = p_reader AND a.capsule_id = p_capsule
    ) THEN RETURN 'outside'; END IF;
    IF x.status <> 'active' THEN RETURN x.status; END IF;
    RETURN CASE WHEN x.expires_at <= statement_timestamp() THEN 'expired' END;
END $$;
