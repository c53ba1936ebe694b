-- The edits whose text says a value (preview_value): those that wait for a verdict, and applied ones whose text is read
-- only in the history of their target, because another edit replaced it.
CREATE OR REPLACE FUNCTION places_of_value_in_edits(p_tenant uuid, p_words text[]) RETURNS TABLE (
    kind text, record_id uuid, line text, recorder text, recorded_by uuid, ts timestamptz, is_near boolean,
    edits_applied int, received_by text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    -- materialized: most texts are what readers get now, and are not read here
    WITH unread AS MATERIALIZED (
        SELECT e.* FROM governance_edit e
        JOIN governance_editstate s ON s.tenant_id = p_tenant AND s.edit_id = e.id
        WHERE e.tenant_id = p_tenant AND e.content_id IS NOT NULL AND e.target_type <> 'value'
          AND s.status IN ('pending', 'approved')
          AND NOT EXISTS (SELECT FROM memory_effectivechunk x
                          WHERE x.tenant_id = p_tenant AND x.id = e.target_id AND x.content_id = e.content_id)
          AND NOT EXISTS (SELECT FROM memory_effectivedecision x
                          WHERE x.tenant_id = p_tenant AND x.id = e.target_id AND x.content_id = e.content_id)
    )
    SELECT 'edit', e.id, line_saying(w.text, p_words), e.proposer, e.proposed_by, e.created_at, false, 0, '{}'::text[]
    FROM unread e
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    CROSS JOIN LATERAL (SELECT (reworded(p_tenant, c.body, NULL)).text OFFSET 0) w
    WHERE says_words(c.body, p_words) AND says_words(w.text, p_words)
    ORDER BY e.id DESC;
END $$;
