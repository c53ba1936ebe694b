-- A digest of the positions of every tenant's tree and chains (see ledger_states). Each table is read once, even if the
-- caller has disabled plan types.
CREATE OR REPLACE FUNCTION ledger_digests() RETURNS TABLE (tenant_id uuid, state bytea) LANGUAGE sql STABLE
SET search_path = pg_catalog, public, pg_temp
SET enable_hashjoin = on SET enable_mergejoin = on SET enable_seqscan = on AS $$
    SELECT t.id, sha256(convert_to(concat_ws('|', m.size, m.root, c.heads), 'UTF8'))
    FROM governance_tenant t LEFT JOIN governance_merkletree m ON m.tenant_id = t.id
    LEFT JOIN (
        SELECT h.tenant_id, string_agg(concat_ws(' ', h.name, h.seq, h.head, h.public_key), '|' ORDER BY h.name) AS heads
        FROM governance_chain h WHERE h.seq >= 0 GROUP BY h.tenant_id) c ON c.tenant_id = t.id
$$;
