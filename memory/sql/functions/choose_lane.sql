-- How a search finds the chunks that it scores:
--   narrow         a filter leaves few chunks (narrow_filter): look at each of them
--   terms          look up these index terms: those of every match, or of a part of them (rarest_terms)
--   newest, since  look up these, from then on: the newest matches (window_start), where every word is common
-- `estimate` is of the number of matches, NULL if every match is scored.
CREATE OR REPLACE FUNCTION choose_lane(p_tenant uuid, q search_question, w term_weights, p_narrow text, f search_filter)
RETURNS search_lane LANGUAGE plpgsql STABLE AS $$
DECLARE
    -- the index terms for a beginning of subjects, if these are few
    subjects text[];
    -- chunks to score, at about 4 us; skips those that a filter without index terms excludes
    budget int;
    lane search_lane;
    filters tsquery;
    needed tsquery;
    share float8 := 1;  -- the share of the tenant's chunks that pass the filters
    rare record;
BEGIN
    lane.narrow := p_narrow;
    IF p_narrow IS NOT NULL THEN RETURN lane; END IF;
    subjects := subjects_under(p_tenant, f.subject_type, f.subject_prefix);
    budget := CASE WHEN f.without_recorders IS NULL AND num_nonnulls(f.tag, f.recorder, f.actor, f.kind, f.metadata) = 0
        AND (f.subject_prefix IS NULL OR subjects IS NOT NULL) THEN 2000 ELSE 20000 END;
    filters := filter_query(p_tenant, f.channels, CASE WHEN subjects IS NULL THEN f.scope END,
        CASE WHEN subjects IS NULL THEN f.subject_type END, f.subject_id, f.project_id, f.session_id);
    IF subjects IS NOT NULL THEN
        filters := filters && term_query(p_tenant, VARIADIC ARRAY(
            SELECT ' subject_id ' || s FROM unnest(subjects || f.subject_prefix) s));
    END IF;
    IF f.subject_ids IS NOT NULL THEN
        filters := filters && term_query(p_tenant, VARIADIC ARRAY(SELECT ' subject_id ' || s FROM unnest(f.subject_ids) s));
    END IF;
    IF num_nonnulls(f.since, f.until) > 0 THEN
        filters := filters && time_query(p_tenant, time_span(greatest(f.since, '1900-01-01'), 0),
            time_span(least(f.until, '2200-01-01'), 0));
    END IF;
    needed := word_query(p_tenant, q.matching) && filters;
    lane.terms := ARRAY[needed];
    IF NOT q.is_narrowed AND q.terms <> '{}' THEN
        IF numnode(filters) > 0 AND (SELECT sum(d) FROM unnest(w.dfs) d) > budget THEN
            share := greatest(2000, 64 * sampled_chunks(p_tenant, filters && term_query(p_tenant, ' one in 64'), (f.reader).labels));
            share := least(1, share / w.total);
        END IF;
        IF (SELECT sum(d) FROM unnest(w.dfs) d) * share <= budget THEN RETURN lane; END IF;
        SELECT * INTO rare FROM rarest_terms(p_tenant, w, share, budget);
        lane.terms := (SELECT array_agg(r && filters) FROM unnest(rare.queries) r);
        lane.estimate := (SELECT max(d) FROM unnest(w.dfs) d) * share;
        -- unless they are so few that the newest of the others fill the answer
        IF rare.expected >= 100 THEN RETURN lane; END IF;
    END IF;
    SELECT s.since, s.estimate, s.terms, s.is_crowded INTO lane.since, lane.estimate, lane.newest, lane.is_crowded
    FROM window_start(p_tenant, q, f, needed, filters, w.total) s;
    IF lane.since IS NULL THEN
        lane.terms := ARRAY[needed];
    ELSIF q.is_narrowed OR q.terms = '{}' THEN
        lane.terms := NULL;
    END IF;
    RETURN lane;
END $$;
