-- The capsules whose note or risks say a value (preview_value).
CREATE OR REPLACE FUNCTION places_of_value_in_capsules(p_tenant uuid, p_words text[]) RETURNS TABLE (
    kind text, record_id uuid, line text, recorder text, recorded_by uuid, ts timestamptz, is_near boolean,
    edits_applied int, received_by text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT 'capsule', x.id, line_saying(w.said, p_words), x.author, c.authored_by, x.created_at, false, x.edits_applied,
        ARRAY(SELECT g.slug FROM capsules_capsuleaudience a
              CROSS JOIN LATERAL (SELECT y.slug FROM governance_agent y
                                  WHERE y.tenant_id = p_tenant AND y.id = a.agent_id LIMIT 1) g
              WHERE a.tenant_id = p_tenant AND a.capsule_id = x.id ORDER BY 1 LIMIT 10)::text[]
    FROM capsules_effectivecapsule x
    CROSS JOIN LATERAL (SELECT y.authored_by FROM capsules_capsule y
                        WHERE y.tenant_id = p_tenant AND y.id = x.id LIMIT 1) c
    LEFT JOIN LATERAL content_of(p_tenant, x.note_id) n ON true
    LEFT JOIN LATERAL content_of(p_tenant, x.risks_id) r ON true
    CROSS JOIN LATERAL (SELECT concat_ws(E'\n', note_in(n.body), risks_in(r.body)) AS said) w
    WHERE x.tenant_id = p_tenant AND NOT x.is_retracted AND says_words(w.said, p_words)
    ORDER BY x.id DESC;
END $$;
