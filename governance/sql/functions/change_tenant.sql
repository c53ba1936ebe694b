-- Change the number of days after which a pending edit expires; answers how many there were before.
CREATE OR REPLACE FUNCTION change_tenant(p_tenant uuid, p_pending_edit_days int, OUT before int, OUT refusal text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    IF p_pending_edit_days NOT BETWEEN 1 AND 3650 THEN refusal := 'days_out_of_range'; RETURN; END IF;
    SELECT t.pending_edit_days INTO STRICT before FROM governance_tenant t WHERE t.id = p_tenant FOR NO KEY UPDATE;
    IF before = p_pending_edit_days THEN refusal := 'nothing_to_change'; RETURN; END IF;
    UPDATE governance_tenant t SET pending_edit_days = p_pending_edit_days WHERE t.id = p_tenant;
    PERFORM owe_entry(p_tenant, 'tenant.changed', VARIADIC '{}');
END $$;

ALTER FUNCTION change_tenant OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION change_tenant TO suture_app;
