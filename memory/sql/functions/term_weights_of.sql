-- How much each term of a question counts: ln(1 + (N - df + 0.5) / (df + 0.5)), where df of N chunks have it. Under a
-- narrow filter both are counted among the chunks that it leaves to the reader; otherwise they are those of the
-- reader's channels, from memory_term, which lags (count_terms), and of those with an audience that the reader hears
-- (count_heard_terms): all in a tenant with up to about 2,000 of them, otherwise estimated from a sample. The vector is NULL
-- unless the question is open: a look-up asks for a chunk's own words.
CREATE OR REPLACE FUNCTION term_weights_of(p_tenant uuid, q search_question, p_narrow text, f search_filter)
RETURNS term_weights LANGUAGE plpgsql STABLE AS $$
DECLARE
    v_tenant uuid := p_tenant;
    w term_weights;
    counted bigint;
    heard bigint;
    heard_dfs bigint[];
BEGIN
    w.terms := q.terms;
    w.matching := q.matching;
    w.queries := ARRAY(SELECT any_term(ARRAY[t]) FROM unnest(q.terms) WITH ORDINALITY u (t, place) ORDER BY place);
    IF p_narrow IS NOT NULL THEN
        WITH chunk AS MATERIALIZED (SELECT x.tsv FROM narrow_chunks(v_tenant, p_narrow, f) x)
        SELECT (SELECT count(*) FROM chunk), ARRAY(
            SELECT (SELECT count(*) FROM chunk c WHERE c.tsv @@ t.query)
            FROM unnest(w.queries) WITH ORDINALITY t (query, place) ORDER BY t.place)
        INTO w.total, w.dfs;
    ELSE
        counted := (SELECT count_heard(c.chunks_of_channels, (f.reader).labels) FROM memory_termcount c
            WHERE c.tenant_id = v_tenant AND c.counted_at IS NOT NULL LIMIT 1);
        w.total := coalesce(counted, 64 * sampled_chunks(v_tenant, term_query(v_tenant, ' one in 64'), (f.reader).labels));
        -- where everything has an audience, there is no other chunk to look up
        w.dfs := ARRAY(
            SELECT CASE WHEN counted IS DISTINCT FROM 0 THEN coalesce(
                (SELECT count_heard(s.dfs, (f.reader).labels) FROM memory_term s
                 WHERE s.tenant_id = v_tenant AND s.term = t.term LIMIT 1),
                probed_df(v_tenant, t.term, (f.reader).labels)) ELSE 0 END
            FROM unnest(q.terms) WITH ORDINALITY t (term, place) ORDER BY t.place);
        IF EXISTS (SELECT FROM governance_audience a WHERE a.tenant_id = v_tenant) THEN
            SELECT h.total, h.dfs INTO heard, heard_dfs FROM count_heard_terms(v_tenant, w.queries, f) h;
            w.total := w.total + heard;
            w.dfs := ARRAY(SELECT d.df + d.heard
                FROM unnest(w.dfs, heard_dfs) WITH ORDINALITY d (df, heard, place) ORDER BY d.place);
        END IF;
    END IF;
    w.total := greatest(w.total, 1, (SELECT max(d) FROM unnest(w.dfs) d));
    w.idfs := ARRAY(
        SELECT greatest(ln(1 + (w.total - d.df + 0.5) / (d.df + 0.5)), 0.001)
        FROM unnest(w.dfs) WITH ORDINALITY d (df, place) ORDER BY d.place);
    IF q.is_open THEN
        w.vector := (
            SELECT format('{%s}/268435456', string_agg(v.dim || ':' || round(v.idf::numeric, 4), ',' ORDER BY v.dim))
            FROM (SELECT term_dim(t.term) AS dim, max(t.idf) AS idf FROM unnest(w.terms, w.idfs) t (term, idf)
                  GROUP BY 1) v)::sparsevec;
    END IF;
    RETURN w;
END $$;
