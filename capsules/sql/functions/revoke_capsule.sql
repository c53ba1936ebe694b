-- executable by: suture_app
-- Revoke a capsule and everything forwarded from it; its author and people with the admin role may. The capsule itself
-- is the first row. is_new is true for the rows that this call changed: revoking again changes nothing and returns the
-- time of the first revocation.
CREATE OR REPLACE FUNCTION revoke_capsule(p_tenant uuid, p_capsule uuid) RETURNS TABLE (
    refusal text, capsule_id uuid, revoked_at timestamptz, is_new boolean
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    me acting_context := acting(p_tenant);
    x capsules_effectivecapsule;
    held uuid[];
BEGIN
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF NOT FOUND OR x.is_retracted THEN refusal := 'unknown'; RETURN NEXT; RETURN; END IF;
    IF (x.author_kind <> me.kind OR x.authored_by <> me.id) AND NOT 'admin' = ANY (me.roles)
    THEN refusal := 'not_yours'; RETURN NEXT; RETURN; END IF;
    held := lock_capsules(p_tenant, p_capsule);
    SELECT * INTO x FROM capsules_effectivecapsule y WHERE y.tenant_id = p_tenant AND y.id = p_capsule;
    IF x.status = 'revoked' THEN
        capsule_id := p_capsule; revoked_at := x.revoked_at; is_new := false;
        RETURN NEXT; RETURN;
    END IF;
    IF x.status = 'expired' OR x.expires_at <= statement_timestamp() THEN
        refusal := 'expired'; RETURN NEXT; RETURN;
    END IF;
    RETURN QUERY
    WITH ended AS (
        UPDATE capsules_effectivecapsule y SET status = 'revoked', revoked_at = statement_timestamp()
        WHERE y.tenant_id = p_tenant AND y.id = ANY (held) AND y.status = 'active'
          AND y.expires_at > statement_timestamp()
        RETURNING y.id, y.revoked_at
    )
    SELECT NULL, e.id, e.revoked_at, true FROM ended e ORDER BY e.id <> p_capsule, e.id;
END $$;
