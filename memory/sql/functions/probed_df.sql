-- In how many of the tenant's chunks a term is that the statistics do not know: counted up to 2,000, beyond that
-- estimated by a sample, of one chunk in 512 or, where that has fewer than 64, one in 64. A new name would otherwise be
-- taken for the rarest word.
CREATE OR REPLACE FUNCTION probed_df(p_tenant uuid, p_term text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    wanted tsquery := term_query(p_tenant, p_term);
    found bigint := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, wanted) AND is_counted(x) LIMIT 2001) n);
    sampled bigint;
BEGIN
    IF found <= 2000 THEN RETURN found; END IF;
    sampled := sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 512'));
    RETURN greatest(found, CASE WHEN sampled >= 64 THEN 512 * sampled
        ELSE 64 * sampled_chunks(v_tenant, wanted && term_query(v_tenant, ' one in 64')) END);
END $$;
