-- executable by: suture_app
-- Remove an audience rule; returns what it said. Records keep their audience.
CREATE OR REPLACE FUNCTION remove_audience_rule(
    p_tenant uuid, p_rule uuid, OUT subject_type text, OUT tag text, OUT kind text, OUT usersets text[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    DELETE FROM governance_audiencerule r WHERE r.tenant_id = p_tenant AND r.id = p_rule
    RETURNING r.subject_type, r.tag, r.kind, r.usersets INTO subject_type, tag, kind, usersets;
    IF NOT FOUND THEN refusal := 'no_such_audience_rule'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'audience_rule.removed', p_rule::text);
END $$;
