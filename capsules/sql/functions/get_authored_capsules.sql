-- executable by: suture_app
-- The actor's own capsules in every status, newest first, those before p_before_id. With p_within, only active ones
-- that expire within that time. One that they forwarded has words only as long as they may read what they forwarded.
CREATE OR REPLACE FUNCTION get_authored_capsules(
    p_tenant uuid, p_subject_type text, p_subject_id text, p_scope text,
    p_project_id text, p_within interval, p_listening text[], p_before_id uuid, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_reader reader := reader_of(p_tenant, p_listening);
    me acting_context := acting(p_tenant);
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    r capsule_row;
    ended text;
BEGIN
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM capsules_effectivecapsule x
        WHERE x.tenant_id = v_tenant AND x.authored_by = me.id AND x.author_kind = me.kind
          AND NOT x.is_retracted
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id) AND (p_scope IS NULL OR x.scope = p_scope)
          AND (p_project_id IS NULL OR x.project_id = p_project_id)
          AND (p_within IS NULL
               OR x.status = 'active' AND x.expires_at > moment AND x.expires_at <= moment + p_within)
          AND (p_before_id IS NULL OR x.id < p_before_id)
        ORDER BY x.id DESC LIMIT p_limit) n;
    FOR r IN SELECT * FROM capsule_rows(v_tenant, ids, p_listening, v_reader, true) LOOP
        ended := CASE WHEN r.forwards_id IS NOT NULL THEN capsule_refusal(v_tenant, r.capsule_id, me.kind, me.id) END;
        IF ended IS NOT NULL THEN
            r.withheld := coalesce(r.withheld, ended); r.note := NULL; r.risks := NULL;
        END IF;
        RETURN NEXT r;
    END LOOP;
END $$;
