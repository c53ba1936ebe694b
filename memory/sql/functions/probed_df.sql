-- The number of chunks of a reader's channels with a term that is not in the statistics (is_counted): counted up to 2,000, beyond that
-- estimated from a sample of one chunk in 512 or, if that has fewer than 64, one in 64. Otherwise, a new name would
-- count as the rarest word.
CREATE OR REPLACE FUNCTION probed_df(p_tenant uuid, p_term text, p_labels text[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    wanted tsquery := term_query(p_tenant, p_term);
    found bigint := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, wanted) AND is_counted(x, p_labels) LIMIT 2001) n);
    sampled bigint;
BEGIN
    IF found <= 2000 THEN RETURN found; END IF;
    sampled := sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 512'), p_labels);
    RETURN greatest(found, CASE WHEN sampled >= 64 THEN 512 * sampled
        ELSE 64 * sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 64'), p_labels) END);
END $$;
