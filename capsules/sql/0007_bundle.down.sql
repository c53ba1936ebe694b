SET ROLE suture_gate;
DROP FUNCTION get_capsule_words(uuid,uuid[],text,uuid,text[],text[],boolean);
DROP FUNCTION get_context_capsules(uuid,uuid,text,text,text[],text[],boolean,int,int,int);
RESET ROLE;

-- The capsules to give an agent unasked, the most important first, then the newest. Those that are quarantined, or
-- blocked where it speaks, are rows too, so that a bundle can tell what it left out.
CREATE FUNCTION get_context_capsules(
    p_tenant uuid, p_agent uuid, p_subject_type text, p_subject_id text, p_listening text[], p_sensitivities text[],
    p_include_quarantined boolean, p_limit int
) RETURNS SETOF capsule_row LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    moment timestamptz := statement_timestamp();
    ids uuid[];
    found capsule_row;
BEGIN
    PERFORM require_tenant(p_tenant);
    SELECT array_agg(n.id) INTO ids FROM (
        SELECT x.id FROM capsules_effectivecapsule x
        WHERE x.tenant_id = v_tenant AND x.status = 'active' AND NOT x.is_retracted AND x.expires_at > moment
          AND (p_subject_type IS NULL OR x.subject_type = p_subject_type)
          AND (p_subject_id IS NULL OR x.subject_id = p_subject_id)
          AND EXISTS (
              SELECT 1 FROM capsules_capsuleaudience a
              WHERE a.tenant_id = v_tenant AND a.agent_id = p_agent AND a.capsule_id = x.id AND a.expires_at > moment)
        ORDER BY x.importance DESC, x.id DESC LIMIT p_limit) n;
    FOR found IN SELECT * FROM capsule_rows(v_tenant, ids, p_listening, p_sensitivities) LOOP
        IF found.is_quarantined AND NOT p_include_quarantined THEN
            found.withheld := 'quarantined'; found.note := NULL; found.risks := NULL;
        END IF;
        RETURN NEXT found;
    END LOOP;
END $$;

SELECT governance_hand_to_gate(ARRAY[
    'get_context_capsules(uuid,uuid,text,text,text[],text[],boolean,int)'
]::regprocedure[]);
SET ROLE suture_gate;
GRANT EXECUTE ON FUNCTION get_context_capsules(uuid,uuid,text,text,text[],text[],boolean,int) TO suture_app;
RESET ROLE;
