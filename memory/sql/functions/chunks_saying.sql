-- The chunks within the reach of a value whose effective text has all of its words; `is_said`: in a row, or as a recorded
-- tag, so that the value is said. Superseded chunks are in no index of words, so they are read one by one.
CREATE OR REPLACE FUNCTION chunks_saying(p_tenant uuid, v memory_value, p_words text[], p_limit int)
RETURNS TABLE (chunk_id uuid, is_said boolean) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    q tsquery;
    v_tags text[] := ARRAY(SELECT array_to_string(p_words, s) FROM unnest('{-,_," ",:,.,/}'::text[]) s);
    terms tsquery;
BEGIN
    IF p_words IS NULL THEN RETURN; END IF;  -- erased
    q := value_query(p_tenant, p_words);
    terms := word_query(p_tenant, q) && filter_query(p_tenant, CASE WHEN v.channel IS NOT NULL THEN ARRAY[v.channel] END,
        NULL, v.subject_type, v.subject_id, v.project_id, v.session_id);
    RETURN QUERY
    WITH tagged AS MATERIALIZED (
        SELECT k.id FROM memory_chunk k
        WHERE k.tenant_id = p_tenant AND k.tags <> '{}' AND k.tags && v_tags
    )
    SELECT x.id, says_words(x.text, p_words) OR x.id IN (SELECT t.id FROM tagged t) FROM (
        SELECT y.id FROM memory_effectivechunk y WHERE has_terms(y, p_tenant, terms) AND y.tsv @@ q
        UNION
        SELECT y.id FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.is_superseded AND y.tsv @@ q
        UNION
        SELECT t.id FROM tagged t
    ) i
    CROSS JOIN LATERAL (
        SELECT y.* FROM memory_effectivechunk y WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) x
    WHERE NOT x.is_retracted AND is_within_reach(v, x) LIMIT p_limit;
END $$;
