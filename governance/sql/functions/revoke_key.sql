-- executable by: suture_app
-- Revoke a key, found by its prefix, permanently.
CREATE OR REPLACE FUNCTION revoke_key(p_tenant uuid, p_prefix text, OUT key_id uuid, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE revoked timestamptz;
BEGIN
    PERFORM acting_manager(p_tenant);
    -- a concurrent call waits here and then finds it revoked
    SELECT k.id, k.revoked_at INTO key_id, revoked FROM governance_apikey k
    WHERE k.tenant_id = p_tenant AND k.prefix = p_prefix FOR UPDATE;
    IF NOT FOUND THEN refusal := 'no_such_key'; RETURN; END IF;
    IF revoked IS NOT NULL THEN refusal := 'key_already_revoked'; RETURN; END IF;
    UPDATE governance_apikey k SET revoked_at = clock_timestamp() WHERE k.tenant_id = p_tenant AND k.id = key_id;
    PERFORM owe_entry(p_tenant, 'key.revoked', key_id::text);
END $$;
