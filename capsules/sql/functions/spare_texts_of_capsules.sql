-- Before an erasure by value deletes notes and risks of capsules, and amends of them, record what it leaves of each for
-- every capsule that has it (content_left). A forwarded capsule has the words of the original.
CREATE OR REPLACE FUNCTION spare_texts_of_capsules(p_tenant uuid, p_erasure uuid) RETURNS void LANGUAGE plpgsql
SECURITY DEFINER AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    IF NOT EXISTS (SELECT FROM governance_erasure e
                   WHERE e.tenant_id = p_tenant AND e.id = p_erasure AND e.named_by = 'value') THEN RETURN; END IF;
    PERFORM record_rewording(p_tenant, w.id, NULL, NULL, x.id, CASE
            WHEN capsule_amend(c.body) IS NOT NULL
                THEN chr(30) || reworded_json(p_tenant, capsule_amend(c.body)::jsonb, place_of_capsule(x))::text
            WHEN w.is_list THEN reworded_json(p_tenant, c.body::jsonb, place_of_capsule(x))::text
            ELSE (reworded(p_tenant, c.body, place_of_capsule(x))).text END, '{}')
    FROM capsules_effectivecapsule x
    JOIN capsules_capsule k ON k.tenant_id = p_tenant AND k.id = x.id
    CROSS JOIN LATERAL (
        SELECT k.note_id AS id, false AS is_list
        UNION ALL
        SELECT k.risks_id, true
        UNION ALL
        SELECT e.content_id, false FROM governance_edit e
        WHERE e.tenant_id = p_tenant AND e.target_id = ANY (x.id || ARRAY(SELECT capsule_origins(p_tenant, x.id)))) w
    CROSS JOIN LATERAL content_of(p_tenant, w.id) c
    WHERE x.tenant_id = p_tenant AND w.id IN (SELECT i.content_id FROM governance_erasureitem i
        WHERE i.tenant_id = p_tenant AND i.erasure_id = p_erasure);
END $$;
