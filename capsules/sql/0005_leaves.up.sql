-- What is sealed of capsules, and what an erasure names of them: the note and the risks, once, where they were written.

CREATE FUNCTION leaves_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT c.id, jsonb_build_array('capsule/1', c.tenant_id, c.id, c.scope, c.subject_type, c.subject_id, c.project_id,
        c.author_kind, c.authored_by, c.author, microseconds(c.created_at), microseconds(c.expires_at), c.sensitivity,
        c.may_forward, c.note_id, encode(coalesce(n.sha256, nx.sha256), 'hex'),
        c.risks_id, encode(coalesce(r.sha256, rx.sha256), 'hex'), c.ttl_days, c.forwards_id)
    FROM capsules_capsule c
    LEFT JOIN governance_content n ON n.tenant_id = p_tenant AND n.id = c.note_id
    LEFT JOIN governance_content r ON r.tenant_id = p_tenant AND r.id = c.risks_id
    LEFT JOIN governance_erasedcontent nx ON nx.tenant_id = p_tenant AND nx.id = c.note_id
    LEFT JOIN governance_erasedcontent rx ON rx.tenant_id = p_tenant AND rx.id = c.risks_id
    WHERE c.tenant_id = p_tenant AND c.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_capsule_item(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT i.id, jsonb_build_array('capsule_item/1', i.tenant_id, i.id, i.capsule_id, i.position, i.kind, i.item_id)
    FROM capsules_capsuleitem i WHERE i.tenant_id = p_tenant AND i.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_capsule_audience(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('capsule_audience/1', a.tenant_id, a.id, a.capsule_id, a.agent_id,
        microseconds(a.expires_at))
    FROM capsules_capsuleaudience a WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids);
END $$;

CREATE FUNCTION contents_of_capsule(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM capsules_capsule x CROSS JOIN LATERAL unnest(ARRAY[x.note_id, x.risks_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

-- What an erasure names of capsules (governance/sql/0009). A forwarded one has its words from the first of its chain,
-- with which they are erased. Nothing else is made of them, so there are no copies to destroy.
CREATE FUNCTION erasable_of_capsules(
    p_tenant uuid, p_by text, p_target uuid, p_subject_type text, p_subject_id text
) RETURNS TABLE (kind text, record_id uuid, content_id uuid, retention text) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT 'capsule', c.id, w.id, 'relationship' FROM capsules_capsule c
    CROSS JOIN LATERAL (VALUES (c.note_id), (c.risks_id)) w (id)
    WHERE c.tenant_id = p_tenant AND c.forwards_id IS NULL AND w.id IS NOT NULL AND CASE p_by
        WHEN 'subject' THEN c.subject_type = p_subject_type AND c.subject_id = p_subject_id
        WHEN 'agent' THEN c.author_kind = 'agent' AND c.authored_by = p_target END;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'leaves_of_capsule(uuid,uuid[])', 'leaves_of_capsule_item(uuid,uuid[])', 'leaves_of_capsule_audience(uuid,uuid[])',
    'contents_of_capsule(uuid,uuid[])', 'erasable_of_capsules(uuid,text,uuid,text,text)'
]::regprocedure[]);
