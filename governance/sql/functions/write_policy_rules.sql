-- Replace the tenant's rules by a preset's, with overrides [{op, proposer_kind, sensitivity, approvals}] on top.
CREATE OR REPLACE FUNCTION write_policy_rules(p_tenant uuid, p_preset text, p_overrides jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    DELETE FROM governance_policyrule r WHERE r.tenant_id = p_tenant;
    INSERT INTO governance_policyrule (tenant_id, id, op, proposer_kind, sensitivity, approvals)
    SELECT p_tenant, new_id(), x.op, x.proposer_kind, x.sensitivity, x.approvals FROM (
        SELECT DISTINCT ON (y.op, y.proposer_kind, y.sensitivity) y.* FROM (
            SELECT p.op, p.proposer_kind, NULL::text AS sensitivity, p.approvals, 0 AS place FROM preset_rules(p_preset) p
            UNION ALL
            SELECT o.rule ->> 'op', o.rule ->> 'proposer_kind', o.rule ->> 'sensitivity',
                (o.rule ->> 'approvals')::smallint, o.place::int
            FROM jsonb_array_elements(p_overrides) WITH ORDINALITY o (rule, place)
        ) y ORDER BY y.op, y.proposer_kind, y.sensitivity, y.place DESC
    ) x;
    UPDATE governance_tenant t SET policy = p_preset WHERE t.id = p_tenant;
END $$;

ALTER FUNCTION write_policy_rules OWNER TO suture_gate;
