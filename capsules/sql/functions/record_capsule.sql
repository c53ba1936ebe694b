-- executable by: suture_app
-- Record a capsule whose author speaks in the channels p_listening, or record nothing and return all faults with their
-- places. p_capsule holds its columns, and the ids and words of its note and risks.
CREATE OR REPLACE FUNCTION record_capsule(
    p_tenant uuid, p_capsule json, p_items json, p_audience json,
    p_listening text[]
) RETURNS TABLE (place text, fault text, created_at timestamptz, expires_at timestamptz, audience_count int)
LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    v_reader reader := reader_of(p_tenant, p_listening);
    me acting_context := acting_writer(p_tenant);
    c capsules_capsule;
    found_items json;
    audience uuid[];
BEGIN
    c.author := me.name;
    -- 1. Report all faults at once.
    SELECT json_agg(f), CASE WHEN bool_or(f.sensitivity = 'high') THEN 'high'
        WHEN bool_or(f.sensitivity = 'low') THEN 'low' ELSE 'none' END
    INTO found_items, c.sensitivity FROM find_items(p_tenant, p_items, p_listening, v_reader) f;
    RETURN QUERY
    SELECT f.place, 'unknown', NULL::timestamptz, NULL::timestamptz, NULL::int
    FROM json_to_recordset(found_items) AS f (place text, sensitivity text) WHERE f.sensitivity IS NULL
    UNION ALL
    SELECT a.place, a.fault, NULL, NULL, NULL FROM resolve_audience(p_tenant, p_audience) a WHERE a.fault IS NOT NULL;
    IF FOUND THEN RETURN; END IF;
    -- 2. Write the words, then the record.
    INSERT INTO governance_content (tenant_id, id, salt, body, sha256)
    SELECT p_tenant, w.id, w.salt, w.body, sha256(w.salt || convert_to(w.body, 'UTF8'))
    FROM (SELECT x.id, x.body, uuid_send(gen_random_uuid()) AS salt
          FROM json_to_recordset(p_capsule -> 'words') AS x (id uuid, body text)) w;
    SELECT x.id, x.scope, x.subject_type, x.subject_id, x.project_id, x.ttl_days, x.may_forward, x.note_id, x.risks_id
    INTO c.id, c.scope, c.subject_type, c.subject_id, c.project_id, c.ttl_days, c.may_forward, c.note_id, c.risks_id
    FROM json_to_record(p_capsule) AS x (id uuid, scope text, subject_type text, subject_id text, project_id text,
        ttl_days int, may_forward boolean, note_id uuid, risks_id uuid);
    IF me.kind = 'agent' THEN
        PERFORM refuse_removed_text(p_tenant, said.body, c.subject_type, c.subject_id)
        FROM json_to_recordset(p_capsule -> 'words') AS w (id uuid, body text)
        CROSS JOIN LATERAL (
            SELECT w.body WHERE w.id = c.note_id
            UNION ALL
            SELECT r FROM json_array_elements_text(CASE WHEN w.id = c.risks_id THEN w.body::json END) r
        ) said;
    END IF;
    c.tenant_id := p_tenant; c.author_kind := me.kind; c.authored_by := me.id;
    c.created_at := statement_timestamp();
    c.expires_at := c.created_at + make_interval(hours => 24 * c.ttl_days);
    SELECT array_agg(a.agent_id) INTO audience FROM resolve_audience(p_tenant, p_audience) a;
    PERFORM insert_capsule(c, p_items, audience);
    created_at := c.created_at; expires_at := c.expires_at; audience_count := cardinality(audience);
    RETURN NEXT;
END $$;
