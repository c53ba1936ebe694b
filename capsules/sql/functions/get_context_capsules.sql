-- executable by: suture_app
-- The capsules for an agent's context bundle: p_limit after the first p_offset, the most important first, then the
-- newest. If there are several authors, each fills at most half of the first page; the rest come on later pages.
-- Quarantined capsules, and those blocked in the agent's channel, do not count towards p_limit; up to p_beyond of them
-- are returned too, so that a bundle can list them as omissions. `available` is how many the agent may be given,
-- counted up to p_beyond past the page.
CREATE OR REPLACE FUNCTION get_context_capsules(
    p_tenant uuid, p_subject_type text, p_subject_id text, p_listening text[],
    p_include_quarantined boolean, p_offset int, p_limit int, p_beyond int
) RETURNS TABLE (
    capsule_id uuid, status text, created_at timestamptz, expires_at timestamptz, scope text, subject_type text,
    subject_id text, project_id text, author text, forwards_id uuid, may_forward boolean, item_count int,
    audience_count int, importance numeric, is_quarantined boolean, edits_applied int, revoked_at timestamptz,
    warned_at timestamptz, withheld text, note text, risks text, content_hash text, available int
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_reader reader := reader_including(p_tenant, p_listening, p_include_quarantined);
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    page uuid[];
    hidden uuid[];
BEGIN
    SELECT array_agg(n.id ORDER BY n.nth > p_limit / 2, n.importance DESC, n.id DESC) FILTER (WHERE NOT n.is_hidden),
        array_agg(n.id ORDER BY n.importance DESC, n.id DESC) FILTER (WHERE n.is_hidden)
    INTO ids, hidden
    FROM (
        SELECT a.*, row_number() OVER (
            PARTITION BY a.is_hidden, a.author_kind, a.authored_by ORDER BY a.importance DESC, a.id DESC) AS nth
        FROM (
            SELECT x.id, x.importance, x.author_kind, x.authored_by,
                NOT is_capsule_listed(x, p_listening, v_reader, p_include_quarantined) AS is_hidden
            FROM capsules_effectivecapsule x
            WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
              AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
              AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
              AND EXISTS (
                  SELECT 1 FROM capsules_capsuleaudience g
                  WHERE g.tenant_id = v_tenant AND g.agent_id = me.id AND g.capsule_id = x.id
                    AND g.expires_at > moment)
        ) a
    ) n;
    page := ids[p_offset + 1 : p_offset + p_limit];
    RETURN QUERY
    SELECT r.capsule_id, r.status, r.created_at, r.expires_at, r.scope, r.subject_type, r.subject_id, r.project_id,
        r.author, r.forwards_id, r.may_forward, r.item_count, r.audience_count, r.importance, r.is_quarantined,
        r.edits_applied, r.revoked_at, r.warned_at, r.withheld, r.note, r.risks, r.content_hash,
        least(coalesce(cardinality(ids), 0), p_offset + p_limit + p_beyond)
    FROM capsule_rows(v_tenant, page || hidden[: p_beyond], p_listening, v_reader, p_include_quarantined) r
    ORDER BY r.importance DESC, r.capsule_id DESC;
END $$;
