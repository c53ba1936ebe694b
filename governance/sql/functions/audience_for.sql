-- The audience of a new record as the numbers that it stores. p_given are usersets, of which `#relation` is relative to the
-- record's subject and `#` is the subject itself; '{}' is the default (NULL), and NULL leaves it to the tenant's rules: of
-- those that match, the one with most conditions, then one with a tag, then one with a kind. A rule that is relative to a
-- subject does not match a record without one that can be a principal.
CREATE OR REPLACE FUNCTION audience_for(
    p_tenant uuid, p_given text[], p_subject_type text, p_subject_id text, p_tags text[], p_kind text
) RETURNS int[] LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan AS $$
DECLARE found text[] := p_given;
BEGIN
    IF found IS NULL THEN
        SELECT r.usersets INTO found FROM governance_audiencerule r
        WHERE r.tenant_id = p_tenant AND r.subject_type IN ('', p_subject_type) AND r.kind IN ('', p_kind)
          AND (r.tag = '' OR r.tag = ANY (p_tags))
          AND (is_principal(p_subject_type || ':' || p_subject_id) OR NOT EXISTS (SELECT FROM unnest(r.usersets) u WHERE u LIKE '#%'))
        ORDER BY (r.subject_type <> '')::int + (r.tag <> '')::int + (r.kind <> '')::int DESC, r.tag <> '' DESC,
            r.kind <> '' DESC, r.tag
        LIMIT 1;
    END IF;
    IF found IS NULL OR found = '{}' THEN RETURN NULL; END IF;
    RETURN ARRAY[intern_audience(p_tenant, ARRAY(
        SELECT CASE WHEN u = '#' THEN p_subject_type || ':' || p_subject_id
            WHEN u LIKE '#%' THEN p_subject_type || ':' || p_subject_id || u ELSE u END FROM unnest(found) u))];
END $$;
