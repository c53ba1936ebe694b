-- The vectors of the words of some chunks with their context (space E6), of those that are there: for each stem
-- (k1 + 1) tf / (tf + k1), k1 0.9, where tf adds up what the fields give it. The fields and their weights:
--   own           its effective words                     1
--   place -1, -2  the turn before and the one before that 0.6, 0.3
--   place 1, 2    the turn after and the one after that   0.45, 0.15
--   who           said it                                 1
--   when          month, year and day                     0.3
-- A stem counts weight n / (1 - b + b length / 20) in a field, with n how often it occurs, b 0.75 and length the number of
-- stems in the field. Of a turn the 40 words nearest to the chunk count, times 60 / (60 + length of the own words): a
-- long text needs less context. Stems without a position are the trigrams of text_vector: each counts a third of a word,
-- adds nothing to the length, and is not lent. The vector holds no statistics of other texts, so it never goes stale:
-- `-(lex <#> query)`, where the query's vector holds the idf of each stem, is the BM25F score. A vector has at most
-- 16,000 stems: of a longer text, those that count most.
-- Neighbours have the same words in different places: so each text is taken apart once, for all chunks together. One
-- chunk by itself costs half of what five cost.
CREATE OR REPLACE FUNCTION lex_of_chunks(p_tenant uuid, p_chunks uuid[]) RETURNS TABLE (id uuid, lex sparsevec)
LANGUAGE plpgsql STABLE ROWS 5 SET search_path = pg_catalog, public, pg_temp SET plan_cache_mode = force_generic_plan AS $$
DECLARE spoken regconfig := search_language(p_tenant);
BEGIN
    RETURN QUERY
    WITH asked AS MATERIALIZED (
        SELECT k, x.tsv, x.blocked_channels, x.audience,
            60.0::float8 / (60 + (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(x.tsv) w)) AS lent
        FROM unnest(p_chunks) i (id)
        CROSS JOIN LATERAL chunk_of(p_tenant, i.id) k
        CROSS JOIN LATERAL (
            SELECT y.tsv, y.blocked_channels, y.audience FROM memory_effectivechunk y
            WHERE y.tenant_id = p_tenant AND y.id = i.id LIMIT 1) x
    ), fields AS (
        SELECT (a.k).id AS chunk_id, 0 AS place, 1::float8 AS weight, (a.k).id AS said_by, a.tsv FROM asked a
        UNION ALL
        SELECT (a.k).id, n.place, a.lent * CASE n.place WHEN -1 THEN 0.6 WHEN -2 THEN 0.3 WHEN 1 THEN 0.45 ELSE 0.15 END,
            n.chunk_id, n.tsv
        FROM asked a CROSS JOIN LATERAL neighbours_of(a.k, a.blocked_channels, a.audience) n WHERE n.lends
    ), texts AS (
        SELECT (array_agg(f.tsv))[1] AS tsv, array_agg(f.chunk_id) AS chunks, array_agg(f.place) AS places,
            array_agg(f.weight) AS weights
        FROM fields f GROUP BY f.said_by
    ), counted AS (
        SELECT f.chunk_id, t.dim, f.weight * CASE
            WHEN f.place = 0 THEN t.n / (0.25 + 0.75 * t.length / 20)
            WHEN f.place < 0 THEN t.n_last / (0.25 + 0.75 * t.length_last / 20)
            ELSE t.n_first / (0.25 + 0.75 * t.length_first / 20) END AS tf
        FROM texts x
        CROSS JOIN LATERAL (
            SELECT term_dim(c.lexeme) AS dim, c.n, c.n_last, c.n_first,
                coalesce(sum(c.n) FILTER (WHERE c.is_word) OVER (), 0) AS length,
                sum(c.n_last) OVER () AS length_last, sum(c.n_first) OVER () AS length_first
            FROM (
                SELECT w.lexeme, w.positions IS NOT NULL AS is_word,
                    coalesce(cardinality(w.positions), 1 / 3.0::float8) AS n,
                    -- nearly every stem: without a subquery, which would cost more than all the rest
                    CASE WHEN cardinality(w.positions) = 1 THEN (w.positions[1] > w.final - 40)::int
                        ELSE (SELECT count(*) FROM unnest(w.positions) p WHERE p > w.final - 40) END AS n_last,
                    CASE WHEN cardinality(w.positions) = 1 THEN (w.positions[1] <= 40)::int
                        ELSE (SELECT count(*) FROM unnest(w.positions) p WHERE p <= 40) END AS n_first
                FROM (
                    SELECT v.lexeme, v.positions, max(v.positions[cardinality(v.positions)]) OVER () AS final
                    FROM unnest(x.tsv) v) w
                OFFSET 0  -- else each count is made twice, for itself and for the sum
            ) c
        ) t
        CROSS JOIN LATERAL unnest(x.chunks, x.places, x.weights) f (chunk_id, place, weight)
        UNION ALL
        SELECT (a.k).id, term_dim(w.lexeme), 1 FROM asked a
        CROSS JOIN LATERAL event_of(p_tenant, (a.k).event_id) e
        CROSS JOIN LATERAL unnest(to_tsvector(spoken, e.actor_id)) w
        UNION ALL
        SELECT (a.k).id, term_dim(w.lexeme), 0.3 FROM asked a
        CROSS JOIN LATERAL unnest(date_vector(spoken, (a.k).ts)) w
    ), stems AS (
        SELECT s.chunk_id, s.dim, (1.9 * s.tf / (s.tf + 0.9))::real AS value,
            row_number() OVER (PARTITION BY s.chunk_id ORDER BY s.tf DESC, s.dim) AS place
        FROM (SELECT c.chunk_id, c.dim, sum(c.tf) AS tf FROM counted c WHERE c.tf > 0 GROUP BY 1, 2) s
    ), vectors AS (
        SELECT s.chunk_id, string_agg(s.dim || ':' || s.value, ',') AS written FROM stems s
        WHERE s.place <= 16000 GROUP BY 1
    )
    SELECT (a.k).id, ('{' || coalesce(v.written, '') || '}/268435456')::sparsevec
    FROM asked a LEFT JOIN vectors v ON v.chunk_id = (a.k).id;
END $$;
