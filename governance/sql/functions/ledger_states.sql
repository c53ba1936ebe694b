-- executable by: suture_app
-- The positions of the trees and chains of p_tenants, for the operator's token; each array has one element per chain.
CREATE OR REPLACE FUNCTION ledger_states(p_token text, p_tenants uuid[]) RETURNS TABLE (
    tenant_id uuid, size bigint, root bytea, chains text[], seqs bigint[], heads bytea[], public_keys bytea[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET enable_hashjoin = off SET enable_mergejoin = off SET enable_seqscan = off AS $$
BEGIN
    IF token_bearer(p_token) IS NOT NULL THEN
        RAISE EXCEPTION 'only the operator can seal' USING ERRCODE = 'SU403';
    END IF;
    RETURN QUERY
    SELECT i.id, coalesce(m.size, 0), m.root, c.names, c.seqs, c.heads, c.keys
    FROM unnest(p_tenants) i (id) LEFT JOIN governance_merkletree m ON m.tenant_id = i.id
    CROSS JOIN LATERAL (
        SELECT coalesce(array_agg(h.name), '{}') AS names, coalesce(array_agg(h.seq), '{}') AS seqs,
            coalesce(array_agg(h.head), '{}') AS heads, coalesce(array_agg(h.public_key), '{}') AS keys
        FROM governance_chain h WHERE h.tenant_id = i.id AND h.seq >= 0) c;
END $$;
