-- What a run of sealing has to know of every tenant, for the operator's token: how far its tree and its chains are, and
-- whether it is due: it has rows of the tables p_tables (of the kinds p_kinds) that are not sealed, or an alarm, or was
-- not swept since p_swept. Of the last sort, the p_sweeps that were swept longest ago.
--
-- Rows are looked for as a seal does: those made after p_straggler before the tenant was caught up. A tenant that was
-- caught up before p_caught_up although it has such rows is due too: its seal moves the mark, and the rows are not
-- looked at again.
CREATE OR REPLACE FUNCTION tenants_to_seal(
    p_token text, p_kinds text[], p_tables text[], p_straggler interval, p_caught_up timestamptz, p_swept timestamptz,
    p_sweeps int
) RETURNS TABLE (
    tenant_id uuid, is_due boolean, size bigint, root bytea, chains text[], seqs bigint[], heads bytea[],
    public_keys bytea[]
) LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
DECLARE
    due uuid[];
    found uuid[];
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    SELECT array_agg(t.tenant_id) INTO due FROM governance_merkletree t WHERE t.alarm IS NOT NULL;
    SELECT due || array_agg(s.tenant_id) INTO due FROM (
        SELECT t.tenant_id FROM governance_merkletree t
        WHERE t.root IS NOT NULL AND (t.swept_at IS NULL OR t.swept_at < p_swept)
        ORDER BY t.swept_at NULLS FIRST LIMIT p_sweeps) s;
    FOR i IN 1 .. cardinality(p_kinds) LOOP
        -- LIMIT keeps each lookup a lookup; a subquery that looks for a leaf could become a table of all leaves
        EXECUTE format(
            'SELECT array_agg(t.id) FROM governance_tenant t LEFT JOIN governance_merkletree m ON m.tenant_id = t.id'
            ' CROSS JOIN LATERAL (SELECT FROM %I x WHERE x.tenant_id = t.id AND x.id >= coalesce('
            ' (lpad(to_hex((extract(epoch FROM m.caught_up_at - $2) * 1000)::bigint), 12, ''0'') || repeat(''0'', 20))::uuid,'
            ' ''00000000-0000-0000-0000-000000000000'') AND (m.caught_up_at < $3 OR (SELECT true FROM governance_leaf l'
            ' WHERE l.tenant_id = t.id AND l.row_id = x.id AND l.kind = $4 LIMIT 1) IS NULL) ORDER BY x.id DESC LIMIT 1) n'
            ' WHERE t.id <> ALL ($1)', p_tables[i])
            INTO found USING coalesce(due, '{}'), p_straggler, p_caught_up, p_kinds[i];
        due := due || found;
    END LOOP;
    RETURN QUERY
    SELECT t.id, t.id = ANY (coalesce(due, '{}')), coalesce(m.size, 0), m.root, c.names, c.seqs, c.heads, c.keys
    FROM governance_tenant t LEFT JOIN governance_merkletree m ON m.tenant_id = t.id
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(h.name), '{}') AS names, coalesce(array_agg(h.seq), '{}') AS seqs,
            coalesce(array_agg(h.head), '{}') AS heads, coalesce(array_agg(h.public_key), '{}') AS keys
        FROM governance_chain h WHERE h.tenant_id = t.id AND h.seq >= 0) c;
END $$;

ALTER FUNCTION tenants_to_seal OWNER TO suture_gate;
GRANT EXECUTE ON FUNCTION tenants_to_seal TO suture_app;
