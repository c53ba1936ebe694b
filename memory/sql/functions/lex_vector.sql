-- The vector of the words of a chunk with its context (space E6): for each stem (k1 + 1) tf / (tf + k1), k1 0.9, where tf
-- adds up what the fields give it (field_terms). The fields and their weights:
--   p_own     its own words                             1
--   p_before  the turn before and the one before that   0.6, 0.3
--   p_after   the turn after and the one after that     0.45, 0.15
--   p_who     who said it                               1
--   p_when    month, year and day                       0.3
-- The 40 nearest words of a turn count, times 60 / (60 + length of the own words): a long text needs less context. The
-- vector holds no statistics of other texts, so it never goes stale: `-(lex <#> query)`, where the query's vector holds
-- the idf of each stem, is the BM25F score. A vector has at most 16,000 stems: of a longer text, those that count most.
CREATE OR REPLACE FUNCTION lex_vector(
    p_own tsvector, p_who tsvector, p_when tsvector, p_before tsvector[], p_after tsvector[]
) RETURNS sparsevec LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE lent float8 := 60.0 / (60 + (SELECT coalesce(sum(cardinality(w.positions)), 0) FROM unnest(p_own) w));
BEGIN
    RETURN (
        SELECT ('{' || coalesce(string_agg(s.dim || ':' || s.value, ','), '') || '}/268435456')::sparsevec
        FROM (
            SELECT term_dim(f.term) AS dim, (1.9 * sum(f.tf) / (sum(f.tf) + 0.9))::real AS value
            FROM (
                SELECT * FROM field_terms(p_own, 1, 0)
                UNION ALL SELECT * FROM field_terms(p_before[1], 0.6 * lent, 40)
                UNION ALL SELECT * FROM field_terms(p_before[2], 0.3 * lent, 40)
                UNION ALL SELECT * FROM field_terms(p_after[1], 0.45 * lent, -40)
                UNION ALL SELECT * FROM field_terms(p_after[2], 0.15 * lent, -40)
                UNION ALL SELECT w.lexeme, 1 FROM unnest(p_who) w
                UNION ALL SELECT w.lexeme, 0.3 FROM unnest(p_when) w
            ) f (term, tf)
            GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 16000
        ) s
    );
END $$;

ALTER FUNCTION lex_vector OWNER TO suture_gate;
