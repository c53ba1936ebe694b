-- A content row, or a span of it, before and after guards changed it, with their values; `after` is NULL if they do not,
-- `before` if it was erased. p_is_json: the JSON of further fields.
CREATE OR REPLACE FUNCTION reworded_fields(
    p_tenant uuid, p_content uuid, p_about value_place, p_is_json boolean, p_start int DEFAULT NULL,
    p_end int DEFAULT NULL, OUT before text, OUT after text, OUT value_ids uuid[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    SELECT span_of(c.body, p_start, p_end) INTO before FROM content_of(p_tenant, p_content) c;
    IF NOT p_is_json THEN
        SELECT r.text, r.value_ids INTO after, value_ids FROM reworded(p_tenant, before, p_about) r;
    ELSE
        after := reworded_json(p_tenant, before::jsonb, p_about)::text;
        SELECT coalesce(array_agg(DISTINCT v ORDER BY v), '{}') INTO value_ids
        FROM jsonb_path_query(before::jsonb, '$.**') AS j (part)
        CROSS JOIN LATERAL (SELECT part #>> '{}' AS said WHERE jsonb_typeof(part) IN ('string', 'number')
                            UNION ALL SELECT k FROM jsonb_object_keys(CASE WHEN jsonb_typeof(part) = 'object' THEN part ELSE '{}' END) k) s
        CROSS JOIN LATERAL reworded(p_tenant, s.said, p_about) w CROSS JOIN LATERAL unnest(w.value_ids) v;
    END IF;
    IF value_ids = '{}' THEN after := NULL; END IF;
END $$;
