-- executable by: suture_app
-- Change settings of the tenant; NULL leaves a setting unchanged. p_pending_edit_days: days until a pending edit
-- expires. p_default_sensitivities: {channel: sensitivity}, the default of new records; omitted channels stay
-- unchanged, and a channel without a setting has `none`. p_search_language: see search_language(); apps that store text
-- have a function reword_of_<app>(tenant), which reindexes it. p_hybrid_alpha: the weight of meaning in a search, from
-- 0 to 1. p_ephemeral_hours: hours until ephemeral memory that an agent commits expires. p_agent_edits_per_hour and
-- p_agent_pending_edits: limits of the edits of an agent (approvals_of_edit). Returns all settings before and after.
CREATE OR REPLACE FUNCTION change_tenant(
    p_tenant uuid, p_pending_edit_days int, p_default_sensitivities jsonb, p_search_language text,
    p_hybrid_alpha float8, p_ephemeral_hours int, p_agent_edits_per_hour int, p_agent_pending_edits int,
    OUT before jsonb, OUT after jsonb, OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
    t governance_tenant;
    days int;
    levels jsonb;
    language text;
    alpha float8;
    hours int;
    per_hour int;
    pending int;
    step text;
BEGIN
    PERFORM acting_manager(p_tenant);
    IF p_pending_edit_days NOT BETWEEN 1 AND 3650 THEN refusal := 'days_out_of_range'; RETURN; END IF;
    IF EXISTS (
        SELECT FROM jsonb_each_text(p_default_sensitivities) e
        WHERE (e.key IN ('private', 'public', 'team', 'agent')
               AND e.value IN ('none', 'low', 'high', 'secret')) IS NOT TRUE
    ) THEN refusal := 'unknown_default_sensitivity'; RETURN; END IF;
    IF p_search_language IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_ts_config c WHERE c.cfgname = p_search_language AND c.cfgnamespace = 'pg_catalog'::regnamespace
    ) THEN refusal := 'unknown_search_language'; RETURN; END IF;
    IF p_hybrid_alpha NOT BETWEEN 0 AND 1 THEN refusal := 'alpha_out_of_range'; RETURN; END IF;
    IF p_ephemeral_hours NOT BETWEEN 1 AND 87600 THEN refusal := 'ephemeral_hours_out_of_range'; RETURN; END IF;
    IF p_agent_edits_per_hour NOT BETWEEN 0 AND 100000 OR p_agent_pending_edits NOT BETWEEN 0 AND 100000 THEN
        refusal := 'agent_limit_out_of_range'; RETURN;
    END IF;
    SELECT * INTO STRICT t FROM governance_tenant x WHERE x.id = p_tenant FOR NO KEY UPDATE;
    days := coalesce(p_pending_edit_days, t.pending_edit_days);
    SELECT coalesce(jsonb_object_agg(e.key, e.value), '{}') INTO levels
    FROM jsonb_each_text(t.default_sensitivities || coalesce(p_default_sensitivities, '{}')) e WHERE e.value <> 'none';
    language := coalesce(p_search_language, t.search_language);
    alpha := coalesce(p_hybrid_alpha, t.hybrid_alpha);
    hours := coalesce(p_ephemeral_hours, t.ephemeral_hours);
    per_hour := coalesce(p_agent_edits_per_hour, t.agent_edits_per_hour);
    pending := coalesce(p_agent_pending_edits, t.agent_pending_edits);
    IF (days, levels, language, alpha, hours, per_hour, pending) IS NOT DISTINCT FROM (t.pending_edit_days::int, t.default_sensitivities,
        t.search_language, t.hybrid_alpha, t.ephemeral_hours, t.agent_edits_per_hour, t.agent_pending_edits) THEN
        refusal := 'nothing_to_change'; RETURN;
    END IF;
    UPDATE governance_tenant x SET pending_edit_days = days, default_sensitivities = levels, search_language = language,
        hybrid_alpha = alpha, ephemeral_hours = hours, agent_edits_per_hour = per_hour, agent_pending_edits = pending
    WHERE x.id = p_tenant;
    IF language <> t.search_language THEN
        FOR step IN SELECT f FROM functions_beginning('reword_of_') f LOOP
            EXECUTE format('SELECT %I($1)', step) USING p_tenant;
        END LOOP;
    END IF;
    PERFORM owe_entry(p_tenant, 'tenant.changed', VARIADIC '{}');
    before := jsonb_build_object('pending_edit_days', t.pending_edit_days,
        'default_sensitivities', t.default_sensitivities, 'search_language', t.search_language,
        'hybrid_alpha', t.hybrid_alpha::text, 'ephemeral_hours', t.ephemeral_hours,
        'agent_edits_per_hour', t.agent_edits_per_hour, 'agent_pending_edits', t.agent_pending_edits);
    after := jsonb_build_object('pending_edit_days', days, 'default_sensitivities', levels,
        'search_language', language, 'hybrid_alpha', alpha::text, 'ephemeral_hours', hours,
        'agent_edits_per_hour', per_hour, 'agent_pending_edits', pending);
END $$;
