-- In how many of the tenant's chunks a term is that the statistics do not know: counted up to 2,000, beyond that
-- estimated by the sample of one chunk in 512. A new name would otherwise be taken for the rarest word.
CREATE OR REPLACE FUNCTION probed_df(p_tenant uuid, p_term text) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    wanted tsquery := term_query(p_tenant, p_term);
    found bigint := (SELECT count(*) FROM (
        SELECT FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, wanted) AND is_counted(x) LIMIT 2001) n);
BEGIN
    IF found <= 2000 THEN RETURN found; END IF;
    wanted := wanted && term_query(p_tenant, ' one in 512');
    RETURN greatest(found, 512 * (
        SELECT count(*) FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, wanted) AND is_counted(x)));
END $$;

ALTER FUNCTION probed_df OWNER TO suture_gate;
