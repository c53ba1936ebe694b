-- How many chunks of a reader's channels have some index terms, such as those of a filter and of a sample (is_counted).
CREATE OR REPLACE FUNCTION sampled_chunks(p_tenant uuid, p_terms tsquery, p_labels text[]) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN (SELECT count(*) FROM memory_effectivechunk x WHERE has_terms(x, v_tenant, p_terms) AND is_counted(x, p_labels));
END $$;
