-- The pending edits of memory whose text says a value (preview_value).
CREATE OR REPLACE FUNCTION places_of_value_in_edits(p_tenant uuid, p_words text[]) RETURNS TABLE (
    kind text, record_id uuid, line text, recorder text, recorded_by uuid, ts timestamptz, is_near boolean,
    edits_applied int, received_by text[]
) LANGUAGE plpgsql STABLE SECURITY DEFINER AS $$
BEGIN
    RETURN QUERY
    SELECT 'edit', e.id, line_saying(c.body, p_words), e.proposer, e.proposed_by, e.created_at, false, 0, '{}'::text[]
    FROM governance_editstate s
    CROSS JOIN LATERAL (SELECT y.* FROM governance_edit y WHERE y.tenant_id = p_tenant AND y.id = s.edit_id LIMIT 1) e
    CROSS JOIN LATERAL content_of(p_tenant, e.content_id) c
    WHERE s.tenant_id = p_tenant AND s.status = 'pending' AND e.target_type <> 'value' AND says_words(c.body, p_words)
    ORDER BY e.id DESC;
END $$;
