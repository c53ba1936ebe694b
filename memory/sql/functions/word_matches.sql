-- The chunks that match a question by their own words, each with its score, in no particular order: found as choose_lane
-- says. One may come twice.
CREATE OR REPLACE FUNCTION word_matches(
    p_tenant uuid, q search_question, w term_weights, lane search_lane, f search_filter
) RETURNS SETOF word_match LANGUAGE plpgsql STABLE ROWS 1000 AS $$
DECLARE v_tenant uuid := p_tenant;
BEGIN
    IF lane.narrow IS NOT NULL THEN
        RETURN QUERY
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w)
        FROM narrow_chunks(v_tenant, lane.narrow, f) x WHERE x.tsv @@ q.matching;
    END IF;
    IF lane.terms IS NOT NULL THEN
        RETURN QUERY
        SELECT x.id, x.importance, x.ts, word_score(x.lex, x.tsv, w)
        FROM memory_effectivechunk x
        WHERE has_terms(x, v_tenant, lane.terms) AND x.tsv @@ q.matching AND is_found(x, f);
    END IF;
    IF lane.since IS NOT NULL THEN
        RETURN QUERY SELECT * FROM newest_matches(v_tenant, q, w, lane, f);
    END IF;
END $$;

ALTER FUNCTION word_matches OWNER TO suture_gate;
