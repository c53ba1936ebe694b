-- executable by: suture_app
-- Store a receipt, also for the next seal, which verifies its signature and seals its rows.
CREATE OR REPLACE FUNCTION store_receipt(
    p_tenant uuid, p_id uuid, p_at timestamptz, p_kinds text[], p_counts int[], p_row_ids uuid[], p_hashes bytea,
    p_public_key bytea, p_signature bytea
) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    INSERT INTO governance_receipt (tenant_id, id, at, kinds, counts, row_ids, hashes, public_key, signature)
    VALUES (p_tenant, p_id, p_at, p_kinds, p_counts, p_row_ids, p_hashes, p_public_key, p_signature);
    INSERT INTO governance_unsealedreceipt (tenant_id, id) VALUES (p_tenant, p_id);
END $$;
