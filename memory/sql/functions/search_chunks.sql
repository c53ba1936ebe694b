-- executable by: suture_app
-- Search effective memory, best first: ranked_chunks with their rows. p_mode is keyword, semantic or hybrid; p_vector
-- is the vector of the query in p_model, NULL to rank by words only; p_alpha the weight of meaning, NULL for the
-- tenant's. p_highlight adds an HTML snippet, p_explain the neighbours whose words counted. `following` counts the
-- matches from the first row on. p_shown are the keys (shown_key) of what earlier pages have shown, and p_scale is theirs. `unknown` are the words of the query
-- that no memory of the reader's channels contains (unknown_terms). p_without_recorders excludes records of these recorders.
-- p_metadata is a condition of metadata (has_metadata), and p_metadata_equals the part of it that the index can look up.
-- An agent that may not read quarantined memory gets its own: with p_include_quarantined, p_recorder must be itself.
CREATE OR REPLACE FUNCTION search_chunks(
    p_tenant uuid, p_query text, p_listening text[], p_channels text[],
    p_include_quarantined boolean, p_include_archived boolean, p_scope text, p_subject_type text, p_subject_id text, p_project_id text,
    p_session_id text, p_limit int, p_highlight boolean, p_explain boolean, p_mode text, p_alpha real,
    p_vector halfvec, p_model text, p_collapse boolean, p_scale float8, p_shown text[], p_without_recorders text[],
    p_tag text, p_recorder text, p_actor text, p_kind text, p_since timestamptz, p_until timestamptz, p_subject_ids text[],
    p_metadata text, p_metadata_equals text, p_subject_prefix text
) RETURNS TABLE (
    chunk_id uuid, text text, snippet text, importance numeric, ts timestamptz, rank real, edits_applied int,
    is_quarantined boolean, event_id uuid, session_id text, scope text, subject_type text, subject_id text,
    project_id text, channel text, tier text, source text, recorder text, total_count bigint, ranking text,
    following bigint, tags text[], scale float8, words real, meaning real, is_named boolean, is_question boolean,
    alpha real, asking real, duplicates uuid[], lent jsonb, unknown jsonb
) LANGUAGE plpgsql STABLE SECURITY DEFINER
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
    v_tenant uuid := p_tenant;
    me acting_context := CASE WHEN p_include_quarantined THEN acting(p_tenant) END;
    is_own constant boolean := coalesce(p_recorder = me.name, false);
    f search_filter := (p_listening, reader_including(p_tenant, p_listening, p_include_quarantined AND NOT is_own), p_channels,
        p_include_quarantined, p_scope, p_subject_type, p_subject_id, p_project_id, p_session_id, p_include_archived, p_without_recorders,
        p_tag, p_recorder, CASE WHEN is_own AND p_include_quarantined THEN me.id END, p_actor, p_kind, p_since, p_until, p_subject_ids,
        p_metadata::jsonpath, p_metadata_equals::jsonpath, p_subject_prefix);
    m search_meaning := (p_mode, p_alpha, p_vector, p_model);
    after search_place := (p_scale, p_shown);
    q search_question;
    unknown_of_query jsonb;
BEGIN
    q := parse_question(search_language(p_tenant), p_query);
    unknown_of_query := (SELECT jsonb_agg(u) FROM unknown_terms(p_tenant, q.terms, f.reader) u);
    RETURN QUERY
    SELECT r.chunk_id, r.text, highlighted(q.language, r.text, q.marked, p_highlight), r.importance, r.ts, k.rank,
        r.edits_applied, r.is_quarantined, r.event_id, r.session_id, r.scope, r.subject_type, r.subject_id,
        r.project_id, r.channel, r.tier, r.source, r.recorder, k.match_count, k.ranking, k.following, r.tags,
        k.scale, k.words, k.meaning, k.is_named, k.is_question, k.alpha, k.asking, k.duplicates,
        CASE WHEN p_explain THEN lent_words(v_tenant, r.chunk_id, q.terms, f) END, unknown_of_query
    FROM ranked_chunks(v_tenant, q, f, m, p_collapse, p_limit, after) WITH ORDINALITY
        AS k (id, rank, words, meaning, is_named, is_question, alpha, asking, scale, match_count, ranking, following,
            duplicates, place)
    CROSS JOIN LATERAL (
        SELECT * FROM chunk_rows(v_tenant, ARRAY[k.id], p_listening, f.reader, p_include_quarantined) LIMIT 1) r
    ORDER BY k.place;
END $$;
