-- What a run of sealing has to know of every tenant, for the operator's token: a digest of how far its tree and its chains
-- are (those that ledger_states tells), and whether it is due: it has rows of the tables p_tables (of the kinds p_kinds)
-- that are not sealed, or stragglers, or an alarm, or was not swept since p_swept. Of the last sort, the p_sweeps that were swept longest
-- ago.
--
-- Rows are looked for as a seal does: those made after p_straggler before the tenant was caught up, or before p_now where
-- the clock was set back since. A tenant that was
-- caught up before p_caught_up although it has such rows is due too: its seal moves the mark, and the rows are not
-- looked at again. So an idle tenant costs one look into the index of each table.
CREATE OR REPLACE FUNCTION tenants_to_seal(
    p_token text, p_kinds text[], p_tables text[], p_straggler interval, p_now timestamptz, p_caught_up timestamptz,
    p_swept timestamptz, p_sweeps int
) RETURNS TABLE (tenant_id uuid, is_due boolean, state bytea) LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_custom_plan
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    due uuid[];
    found uuid[];
    tenants uuid[];
    since uuid[];
    overdue boolean[];
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    SELECT array_agg(t.tenant_id) INTO due FROM governance_merkletree t WHERE t.alarm IS NOT NULL;
    SELECT due || array_agg(DISTINCT s.tenant_id) INTO due FROM governance_straggler s;
    SELECT due || array_agg(s.tenant_id) INTO due FROM (
        SELECT t.tenant_id FROM governance_merkletree t
        WHERE t.root IS NOT NULL AND (t.swept_at IS NULL OR t.swept_at < p_swept)
        ORDER BY t.swept_at NULLS FIRST LIMIT p_sweeps) s;
    -- the first id of the rows to look at, once for all tables
    SELECT array_agg(t.id), array_agg(coalesce(
            (lpad(to_hex((extract(epoch FROM least(m.caught_up_at, p_now) - p_straggler) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid,
            '00000000-0000-0000-0000-000000000000')),
        array_agg(coalesce(m.caught_up_at < p_caught_up, false))
    INTO tenants, since, overdue
    FROM governance_tenant t LEFT JOIN governance_merkletree m ON m.tenant_id = t.id
    WHERE t.id <> ALL (coalesce(due, '{}'));
    FOR i IN 1 .. cardinality(p_kinds) LOOP
        -- LIMIT keeps each lookup a lookup; a subquery that looks for a leaf could become a table of all leaves
        EXECUTE format(
            'SELECT array_agg(c.tenant) FROM unnest($1, $2, $3) c (tenant, since, is_overdue)'
            ' CROSS JOIN LATERAL (SELECT FROM %I x WHERE x.tenant_id = c.tenant AND x.id >= c.since'
            ' AND (c.is_overdue OR (SELECT true FROM governance_leaf l'
            ' WHERE l.tenant_id = c.tenant AND l.row_id = x.id AND l.kind = $4 LIMIT 1) IS NULL)'
            ' ORDER BY x.id DESC LIMIT 1) n', p_tables[i])
            INTO found USING tenants, since, overdue, p_kinds[i];
        due := due || found;
    END LOOP;
    RETURN QUERY SELECT d.tenant_id, d.tenant_id = ANY (coalesce(due, '{}')), d.state FROM ledger_digests() d;
END $$;

ALTER FUNCTION tenants_to_seal OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION tenants_to_seal TO suture_app;
