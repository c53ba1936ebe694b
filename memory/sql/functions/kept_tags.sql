-- Tags or references without those that say a value that is forgotten or replaced.
CREATE OR REPLACE FUNCTION kept_tags(p_tenant uuid, p_tags text[], p_about value_place) RETURNS text[] LANGUAGE plpgsql
STABLE SECURITY DEFINER AS $$
BEGIN
    IF p_tags = '{}' OR NOT has_guards(p_tenant) THEN RETURN p_tags; END IF;
    RETURN ARRAY(SELECT t.tag FROM unnest(p_tags) WITH ORDINALITY t (tag, n)
                 WHERE (reworded(p_tenant, t.tag, p_about)).value_ids = '{}' ORDER BY t.n);
END $$;
