-- executable by: suture_app
-- Store why sealing and publishing stopped for the tenant; NULL if they work again.
CREATE OR REPLACE FUNCTION set_ledger_alarm(p_tenant uuid, p_reason text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
AS $$
BEGIN
    PERFORM require_job(p_tenant);
    IF p_reason IS NOT NULL THEN
        INSERT INTO governance_merkletree (tenant_id, id, size) VALUES (p_tenant, new_id(), 0) ON CONFLICT DO NOTHING;
    END IF;
    UPDATE governance_merkletree t SET alarm = p_reason,
        alarm_at = CASE WHEN p_reason IS NOT NULL THEN coalesce(t.alarm_at, statement_timestamp()) END
    WHERE t.tenant_id = p_tenant AND t.alarm IS DISTINCT FROM p_reason;
END $$;
