-- Capsules by id, in that order, for a reader in the channels p_listening. Guards change their words.
CREATE OR REPLACE FUNCTION capsule_rows(
    p_tenant uuid, p_ids uuid[], p_listening text[], p_sensitivities text[], p_include_quarantined boolean
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    RETURN QUERY
    SELECT NULL, x.id, CASE WHEN x.status = 'active' AND x.expires_at <= statement_timestamp() THEN 'expired' ELSE x.status END,
        x.created_at, x.expires_at, x.scope, x.subject_type, x.subject_id, x.project_id, x.author, x.forwards_id,
        x.may_forward, x.item_count, x.audience_count, x.importance::numeric, x.is_quarantined, x.edits_applied,
        x.revoked_at, x.warned_at,
        -- a reason that hides the whole capsule comes before a missing note or missing risks
        coalesce(w.why, CASE
            WHEN x.note_id IS NOT NULL AND n.id IS NULL OR x.risks_id IS NOT NULL AND r.id IS NULL THEN 'erased' END),
        CASE WHEN w.why IS NULL THEN (reworded(v_tenant, note_in(n.body), place_of_capsule(x))).text END,
        CASE WHEN w.why IS NULL THEN CASE WHEN has_guards(v_tenant)
            THEN reworded_json(v_tenant, risks_in(r.body)::jsonb, place_of_capsule(x))::text ELSE risks_in(r.body) END END,
        words_hash(n.sha256, r.sha256, NULL, NULL)
    FROM unnest(p_ids) WITH ORDINALITY AS i (id, at)
    CROSS JOIN LATERAL (
        SELECT y.* FROM capsules_effectivecapsule y WHERE y.tenant_id = v_tenant AND y.id = i.id LIMIT 1) x
    CROSS JOIN LATERAL (
        SELECT why_capsule_hidden(x, p_listening, p_sensitivities, p_include_quarantined) AS why) w
    LEFT JOIN LATERAL content_left(v_tenant, x.note_id, x.id) n ON true
    LEFT JOIN LATERAL content_left(v_tenant, x.risks_id, x.id) r ON true
    ORDER BY i.at;
END $$;
