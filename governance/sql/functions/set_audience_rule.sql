-- executable by: suture_app
-- Set the audience of new records that name none, by subject type, tag and kind; an empty one matches all. A rule for the
-- same conditions is replaced. `#relation` is relative to the record's subject, and `#` the subject itself.
CREATE OR REPLACE FUNCTION set_audience_rule(
    p_tenant uuid, p_subject_type text, p_tag text, p_kind text, p_usersets text[], p_reason text,
    OUT rule_id uuid, OUT usersets text[], OUT refusal text
) LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
    PERFORM acting_manager(p_tenant);
    IF p_subject_type <> '' AND NOT is_relation(p_subject_type) THEN refusal := 'malformed_relation'; RETURN; END IF;
    usersets := ARRAY(SELECT DISTINCT x COLLATE "C" FROM unnest(p_usersets) x ORDER BY 1);
    IF cardinality(usersets) NOT BETWEEN 1 AND 1000 OR EXISTS (
        SELECT FROM unnest(usersets) u
        WHERE (is_userset(u) OR u = '#' OR (u LIKE '#%' AND is_relation(substr(u, 2)))) IS NOT TRUE)
    THEN
        refusal := 'malformed_audience'; RETURN;
    END IF;
    INSERT INTO governance_audiencerule AS r (tenant_id, id, subject_type, tag, kind, usersets, reason, created_at)
    VALUES (p_tenant, new_id(), p_subject_type, p_tag, p_kind, set_audience_rule.usersets, p_reason, clock_timestamp())
    ON CONFLICT (tenant_id, subject_type, tag, kind) DO UPDATE
        SET usersets = excluded.usersets, reason = excluded.reason, created_at = excluded.created_at
        WHERE r.usersets <> excluded.usersets
    RETURNING r.id INTO rule_id;
    IF rule_id IS NULL THEN refusal := 'audience_rule_unchanged'; RETURN; END IF;
    PERFORM owe_entry(p_tenant, 'audience_rule.set', rule_id::text);
END $$;
