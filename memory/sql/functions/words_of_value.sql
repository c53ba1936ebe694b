-- The words of a recorded value in normal form; NULL if they were erased.
CREATE OR REPLACE FUNCTION words_of_value(p_tenant uuid, p_value uuid) RETURNS text[] LANGUAGE plpgsql STABLE
SECURITY DEFINER AS $$
BEGIN
    RETURN (SELECT value_words(c.body) FROM memory_value v CROSS JOIN LATERAL content_of(p_tenant, v.content_id) c
            WHERE v.tenant_id = p_tenant AND v.id = p_value);
END $$;
