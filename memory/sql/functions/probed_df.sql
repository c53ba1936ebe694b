-- The number of chunks of a reader's channels with a term that is not in the statistics (is_counted): counted among up to
-- 2,000 chunks that have it, beyond that estimated from a sample of one chunk in 512 or, if that has fewer than 64, one
-- in 64. Otherwise, a new name would count as the rarest word.
CREATE OR REPLACE FUNCTION probed_df(p_tenant uuid, p_term text, p_labels text[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    wanted tsquery := term_query(p_tenant, p_term);
    looked_at int;
    found bigint;
    sampled bigint;
BEGIN
    SELECT count(*), count(*) FILTER (WHERE is_counted(n.x, p_labels)) INTO looked_at, found FROM (
        SELECT x FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, wanted) AND NOT x.is_retracted AND x.superseded_by IS NULL LIMIT 2001) n;
    IF looked_at <= 2000 THEN RETURN found; END IF;
    sampled := sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 512'), p_labels);
    RETURN greatest(found, CASE WHEN sampled >= 64 THEN 512 * sampled
        ELSE 64 * sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 64'), p_labels) END);
END $$;
