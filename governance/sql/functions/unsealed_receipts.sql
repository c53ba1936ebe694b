-- executable by: suture_app
-- The oldest unsealed receipts, up to p_rows rows in total.
CREATE OR REPLACE FUNCTION unsealed_receipts(p_tenant uuid, p_rows int) RETURNS TABLE (
    id uuid, at timestamptz, kinds text[], counts int[], row_ids uuid[], hashes bytea, public_key bytea, signature bytea
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
DECLARE
    due uuid;
    rows_left bigint := p_rows;
    r governance_receipt;
BEGIN
    PERFORM require_job(p_tenant);
    FOR due IN SELECT u.id FROM governance_unsealedreceipt u WHERE u.tenant_id = p_tenant ORDER BY u.id LOOP
        SELECT * INTO r FROM governance_receipt x WHERE x.tenant_id = p_tenant AND x.id = due;
        rows_left := rows_left - coalesce(cardinality(r.row_ids), 0);
        id := due; at := r.at; kinds := r.kinds; counts := r.counts; row_ids := r.row_ids; hashes := r.hashes;
        public_key := r.public_key; signature := r.signature;
        RETURN NEXT;
        EXIT WHEN rows_left <= 0;
    END LOOP;
END $$;
