-- What is sealed of memory: each row with the hashes of its words, in a form that is fixed for ever by its name.

CREATE FUNCTION scope_leaf(
    p_scope text, p_subject_type text, p_subject_id text, p_project_id text, p_session_id text, p_channel text,
    p_sensitivity text, p_ts timestamptz
) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT jsonb_build_array(p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_channel, p_sensitivity,
        microseconds(p_ts))
$$;

CREATE FUNCTION leaves_of_event(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT e.id, jsonb_build_array('event/1', e.tenant_id, e.id,
        scope_leaf(e.scope, e.subject_type, e.subject_id, e.project_id, e.session_id, e.channel, e.sensitivity, e.ts),
        e.actor_type, e.actor_id, e.kind, e.tags, e.refs, e.redacted, e.retention,
        e.content_id, encode(coalesce(t.sha256, tx.sha256), 'hex'),
        e.fields_id, encode(coalesce(f.sha256, fx.sha256), 'hex'),
        e.recorder_kind, e.recorded_by, e.recorder, microseconds(e.recorded_at))
    FROM memory_event e
    LEFT JOIN governance_content t ON t.tenant_id = p_tenant AND t.id = e.content_id
    LEFT JOIN governance_content f ON f.tenant_id = p_tenant AND f.id = e.fields_id
    LEFT JOIN governance_erasedcontent tx ON tx.tenant_id = p_tenant AND tx.id = e.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = e.fields_id
    WHERE e.tenant_id = p_tenant AND e.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_chunk(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT k.id, jsonb_build_array('chunk/1', k.tenant_id, k.id,
        scope_leaf(k.scope, k.subject_type, k.subject_id, k.project_id, k.session_id, k.channel, k.sensitivity, k.ts),
        k.event_id, k.source, k.content_id, encode(coalesce(c.sha256, x.sha256), 'hex'), k.span_start, k.span_end,
        k.chunk_index, k.total_chunks, k.importance, k.tags, k.retention, k.recorder_kind, k.recorded_by, k.recorder)
    FROM memory_chunk k
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = k.content_id
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = k.content_id
    WHERE k.tenant_id = p_tenant AND k.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT d.id, jsonb_build_array('decision/1', d.tenant_id, d.id,
        scope_leaf(d.scope, d.subject_type, d.subject_id, d.project_id, d.session_id, d.channel, d.sensitivity, d.ts),
        d.event_id, d.content_id, encode(coalesce(c.sha256, cx.sha256), 'hex'),
        d.details_id, encode(coalesce(f.sha256, fx.sha256), 'hex'), d.supersedes_id)
    FROM memory_decision d
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = d.content_id
    LEFT JOIN governance_content f ON f.tenant_id = p_tenant AND f.id = d.details_id
    LEFT JOIN governance_erasedcontent cx ON cx.tenant_id = p_tenant AND cx.id = d.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = d.details_id
    WHERE d.tenant_id = p_tenant AND d.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_task(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT t.id, jsonb_build_array('task/1', t.tenant_id, t.id,
        scope_leaf(t.scope, t.subject_type, t.subject_id, t.project_id, t.session_id, t.channel, t.sensitivity, t.ts),
        t.task_id, t.event_id, t.status, t.content_id, encode(coalesce(c.sha256, cx.sha256), 'hex'),
        t.details_id, encode(coalesce(f.sha256, fx.sha256), 'hex'))
    FROM memory_task t
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = t.content_id
    LEFT JOIN governance_content f ON f.tenant_id = p_tenant AND f.id = t.details_id
    LEFT JOIN governance_erasedcontent cx ON cx.tenant_id = p_tenant AND cx.id = t.content_id
    LEFT JOIN governance_erasedcontent fx ON fx.tenant_id = p_tenant AND fx.id = t.details_id
    WHERE t.tenant_id = p_tenant AND t.id = ANY (p_ids);
END $$;

CREATE FUNCTION leaves_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, leaf jsonb)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY
    SELECT a.id, jsonb_build_array('artifact/1', a.tenant_id, a.id,
        scope_leaf(a.scope, a.subject_type, a.subject_id, a.project_id, a.session_id, a.channel, a.sensitivity, a.ts),
        a.event_id, a.content_id, encode(coalesce(c.sha256, x.sha256), 'hex'), a.media_type)
    FROM memory_artifact a
    LEFT JOIN governance_content c ON c.tenant_id = p_tenant AND c.id = a.content_id
    LEFT JOIN governance_erasedcontent x ON x.tenant_id = p_tenant AND x.id = a.content_id
    WHERE a.tenant_id = p_tenant AND a.id = ANY (p_ids);
END $$;

CREATE FUNCTION contents_of_event(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM memory_event x CROSS JOIN LATERAL unnest(ARRAY[x.content_id, x.fields_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

CREATE FUNCTION contents_of_chunk(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, x.content_id FROM memory_chunk x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids);
END $$;

CREATE FUNCTION contents_of_decision(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM memory_decision x CROSS JOIN LATERAL unnest(ARRAY[x.content_id, x.details_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

CREATE FUNCTION contents_of_task(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, c FROM memory_task x CROSS JOIN LATERAL unnest(ARRAY[x.content_id, x.details_id]) c
        WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids) AND c IS NOT NULL;
END $$;

CREATE FUNCTION contents_of_artifact(p_tenant uuid, p_ids uuid[]) RETURNS TABLE (id uuid, content_id uuid)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM require_tenant(p_tenant);
    RETURN QUERY SELECT x.id, x.content_id FROM memory_artifact x WHERE x.tenant_id = p_tenant AND x.id = ANY (p_ids);
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'scope_leaf(text,text,text,text,text,text,text,timestamptz)', 'leaves_of_event(uuid,uuid[])',
    'leaves_of_chunk(uuid,uuid[])', 'leaves_of_decision(uuid,uuid[])', 'leaves_of_task(uuid,uuid[])',
    'leaves_of_artifact(uuid,uuid[])', 'contents_of_event(uuid,uuid[])', 'contents_of_chunk(uuid,uuid[])',
    'contents_of_decision(uuid,uuid[])', 'contents_of_task(uuid,uuid[])', 'contents_of_artifact(uuid,uuid[])'
]::regprocedure[]);
